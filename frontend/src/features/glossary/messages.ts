// SPDX-License-Identifier: Apache-2.0
// A definition in words.
import type { Quantity } from '../../api/types';
import { brief } from '../../plots/number';

const OWN = 'This project’s own definition';

const SIGNIFICANT = 7;

type Bounds = readonly (number | null)[];

/** "at least 0 Hz", "68 to 65536 bytes"; of words and of what has no bound, nothing. */
export function rangeWords([lo, hi]: Bounds, unit: string): string {
  const after = unit === '' ? '' : unit === '%' ? ' %' : ` ${unit}`;
  if (lo === null && hi === null) return '';
  if (hi === null) return `at least ${brief(lo ?? 0, SIGNIFICANT)}${after}`;
  if (lo === null) return `at most ${brief(hi, SIGNIFICANT)}${after}`;
  return `${brief(lo, SIGNIFICANT)} to ${brief(hi, SIGNIFICANT)}${after}`;
}

export const unitWords = ({ unit, text }: Pick<Quantity, 'unit' | 'text'>): string =>
  text ? 'words' : unit === '' ? 'a pure number' : unit;

export const sourceWords = ({ source }: Pick<Quantity, 'source'>): string => source || OWN;

export const ROLES = [
  ['factor', 'Factors', 'Set by the experimenter; they span the cells of an experiment.'],
  ['measure', 'Measures', 'Observed in a run, or derived from what was observed.'],
  ['parameter', 'Model parameters', 'Constants of a model, fitted or set by hand.'],
  ['model', 'Model inputs and outputs', 'What appears only as an input or an output of a model.'],
] as const;

/** Whether a quantity has every word that was typed, anywhere in what is said of it. */
export function answers(q: Quantity, typed: string): boolean {
  const said = `${q.name} ${q.label} ${q.unit} ${q.description} ${q.source}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}
