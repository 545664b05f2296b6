// SPDX-License-Identifier: Apache-2.0
// What is said of an experiment, as its form has it. No DOM.
import type { ExperimentChange } from '../../../api/changing';
import type { DeletedExperiment, Experiment } from '../../../api/types';

export interface Edited {
  title: string;
  subtitle: string;
  citation: string;
  how_made: string;
  /** One a line. */
  notes: string;
}

type Said = Pick<Experiment, 'title' | 'subtitle' | 'source'>;

export function asText({ title, subtitle, source }: Said): Edited {
  return {
    title,
    subtitle,
    citation: source.citation ?? '',
    how_made: source.how_made ?? '',
    notes: source.notes.join('\n'),
  };
}

const notesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What the form changes and nothing else; null where nothing would change, or the title is empty. */
export function changeOf(experiment: Said, edited: Edited): ExperimentChange | null {
  const was = asText(experiment);
  const is = (name: keyof Edited) => edited[name].trim();
  if (is('title') === '') return null;
  const differs = (name: keyof Edited) => is(name) !== was[name].trim();
  const source = {
    ...(differs('citation') ? { citation: is('citation') || null } : {}),
    ...(differs('how_made') ? { how_made: is('how_made') || null } : {}),
    ...(differs('notes') ? { notes: notesOf(edited.notes) } : {}),
  };
  const change: ExperimentChange = {
    ...(differs('title') ? { title: is('title') } : {}),
    ...(differs('subtitle') ? { subtitle: is('subtitle') } : {}),
    ...(Object.keys(source).length > 0 ? { source } : {}),
  };
  return Object.keys(change).length > 0 ? change : null;
}

/** How much a deleted experiment holds, and since when it is not shown. */
export const deletedWords = ({ runs, deleted_at }: Pick<DeletedExperiment, 'runs' | 'deleted_at'>): string =>
  `${runs} ${runs === 1 ? 'run' : 'runs'}, deleted on ${deleted_at.slice(0, 10)} at ${deleted_at.slice(11, 16)} UTC`;
