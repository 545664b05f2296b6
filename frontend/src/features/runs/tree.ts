// SPDX-License-Identifier: Apache-2.0
// A log's header as a tree of named values, and what a search leaves of it. No DOM.
import { plain } from './messages';

export interface Branch {
  readonly name: string;
  /** Null where there are members. */
  readonly text: string | null;
  readonly members: readonly Branch[];
}

const nameOf = (value: Record<string, unknown>, place: number): string =>
  typeof value.name === 'string' ? value.name : String(place + 1);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function treeOf(value: Readonly<Record<string, unknown>>): Branch[] {
  return Object.entries(value).map(([name, member]) => branch(name.replaceAll('_', ' '), member));
}

function branch(name: string, value: unknown): Branch {
  if (isObject(value) && Object.keys(value).length > 0) return { name, text: null, members: treeOf(value) };
  if (Array.isArray(value) && value.some(isObject))
    return {
      name,
      text: null,
      members: value.map((each, place) =>
        isObject(each) ? branch(nameOf(each, place), each) : branch(String(place + 1), each),
      ),
    };
  return { name, text: plain(value), members: [] };
}

/** Branches that hold every word of the search, in their own name or value, or below. */
export function searched(branches: readonly Branch[], search: string): Branch[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...branches];
  return kept(branches, words, '');
}

function kept(branches: readonly Branch[], words: readonly string[], above: string): Branch[] {
  return branches.flatMap((each) => {
    const own = `${above} ${each.name} ${each.text ?? ''}`.toLowerCase();
    if (words.every((word) => own.includes(word))) return [each];
    const members = kept(each.members, words, own);
    return members.length > 0 ? [{ ...each, members }] : [];
  });
}

export const countOf = (branches: readonly Branch[]): number =>
  branches.reduce((sum, { members }) => sum + (members.length ? countOf(members) : 1), 0);
