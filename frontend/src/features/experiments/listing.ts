// SPDX-License-Identifier: Apache-2.0
// What the table of experiments says, from what the server knows. No DOM.
import type { ExperimentSummary, Factor, Glance, Kind } from '../../api/types';
import { inSentence, shortLabel } from '../../components/factorWords';

export interface Filter {
  text: string;
  /** Kinds that are not shown. */
  hidden: ReadonlySet<Kind>;
}

function searchable(experiment: ExperimentSummary): string {
  const { title, subtitle, kind, citation, source_note, slug, factors } = experiment;
  const levels = factors.flatMap((factor) => (factor.levels.some(Number.isFinite) ? [] : factor.levels));
  return [title, subtitle, kind, citation, source_note, slug, ...levels].join(' ').toLowerCase();
}

/** Every word of the text must occur, wherever it does. */
export function matches(experiment: ExperimentSummary, { text, hidden }: Filter): boolean {
  if (hidden.has(experiment.kind)) return false;
  const haystack = searchable(experiment);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

/** Made here, and from no publication. */
const isOwn = ({ kind, citation }: ExperimentSummary): boolean => kind !== 'published' && citation === null;

/** What people came for: their own experiments, the latest first; then those that can be cited: published ones, then the others, the fullest first. */
export function inOrder(experiments: readonly ExperimentSummary[]): ExperimentSummary[] {
  const rank = (each: ExperimentSummary): number => (isOwn(each) ? 0 : each.kind === 'published' ? 1 : 2);
  return [...experiments].sort(
    (a, b) => rank(a) - rank(b) || (isOwn(a) ? b.updated_at.localeCompare(a.updated_at) : b.cells - a.cells),
  );
}

export function countByKind(experiments: readonly ExperimentSummary[]): Record<Kind, number> {
  const counts: Record<Kind, number> = { published: 0, measured: 0, emulated: 0, simulated: 0 };
  for (const { kind } of experiments) counts[kind] += 1;
  return counts;
}

/** `MTU 3 × delay 9`: the factors that vary, with the number of their levels. */
export function design(factors: readonly Factor[]): string {
  const varied = factors.filter(({ level_count }) => level_count > 1);
  return (varied.length ? varied : factors)
    .map(({ name, label, level_count }) => `${shortLabel(name, label)} ${level_count}`)
    .join(' × ');
}

/** A measure in the room under a tile: `system CPU`, `packets/interrupt`. */
export function caption(label: string): string {
  return inSentence(label)
    .replace(/ time(?= |$)/, '')
    .replace(/ per 10⁹ bytes$/, '/GB')
    .replace(/^received? /, '')
    .replace(' per ', '/');
}

export interface Tile {
  /** Place of each value between the least and the largest, 0 to 1; null where nothing is known. */
  shades: (number | null)[][];
}

const LOG_FROM = 20;

/** One cell of data, one cell of the tile. Values over more than a decade are spread by their logarithm. */
export function tileOf({ rows }: Glance): Tile {
  const known = rows.flat().filter((value) => value !== null);
  const least = Math.min(...known);
  const most = Math.max(...known);
  const spread = least > 0 && most / least > LOG_FROM ? Math.log : (value: number) => value;
  const span = spread(most) - spread(least);
  const shade = (value: number) => (span > 0 ? (spread(value) - spread(least)) / span : 0.5);
  // Rows come with the lowest level first; on the page MTU goes up.
  return { shades: rows.map((row) => row.map((value) => (value === null ? null : shade(value)))).reverse() };
}
