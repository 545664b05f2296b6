// SPDX-License-Identifier: Apache-2.0
// One file that holds a view: the page built as one document (build/offline.ts), with the answers that the view was made from inside it.
import type { Answers } from '../../api/copy';
import { base, home } from '../../api/home';
import { answersFor, emptyPage, programVersion, type Wanted } from '../../api/keep';
import type { Experiment } from '../../api/types';
import { currentAddress, currentPath } from '../../state/address';

/** What the file knows of itself. */
export interface Kept {
  readonly format: 1;
  readonly title: string;
  /** The page's own address of the view, and its query. */
  readonly path: string;
  readonly query: string;
  /** The view where it came from, and the top of that page. */
  readonly original: string;
  readonly home: string;
  /** ISO 8601, UTC. */
  readonly exported_at: string;
  readonly version: string;
  /** Of the data; null of a model without any. */
  readonly source: (Pick<Experiment['source'], 'citation' | 'licence'> & { readonly kind: Experiment['kind'] }) | null;
  readonly answers: Answers;
}

export const EMPTY = '<script type="application/json" id="kept">null</script>';

/** JSON that no parser of HTML or JavaScript takes for anything else. */
export function embeddable(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] ?? c);

/** The document with the view inside. */
export function filled(document: string, kept: Kept): string {
  if (!document.includes(EMPTY)) throw new Error('The server’s page for files is not one, or has no place for a view.');
  const data = EMPTY.replace('null', () => embeddable(kept));
  return document
    .replace('<title>Coalescope</title>', () => `<title>${escaped(kept.title)} · Coalescope</title>`)
    .replace(EMPTY, () => data);
}

/** What an offline page is made of: the title, and of an experiment what it asks for. */
interface Offered {
  readonly title: string;
  readonly experiment: Experiment | null;
  readonly wanted: Wanted | null;
}

/** The view on the screen as one HTML file. */
export async function offlinePage({ title, experiment, wanted }: Offered): Promise<Blob> {
  const original = currentAddress();
  const [path, query = ''] = currentPath().slice(base.length).split('#')[0].split('?');
  const [version, answers, page] = await Promise.all([programVersion(), wanted ? answersFor(wanted) : {}, emptyPage()]);
  const kept: Kept = {
    format: 1,
    title,
    path,
    query,
    original,
    home: home.href,
    exported_at: new Date().toISOString(),
    version,
    source: experiment && {
      kind: experiment.kind,
      citation: experiment.source.citation,
      licence: experiment.source.licence,
    },
    answers,
  };
  return new Blob([filled(page, kept)], { type: 'text/html' });
}
