// SPDX-License-Identifier: Apache-2.0
// What the columns of a file are said to mean, while it is being said. Knows no DOM and no network.
import type { Look, Quantity, SeenColumn, TableMapping } from '../../../api/types';

export type Role = SeenColumn['role'];

/** A column as the reader sees it: what the server proposed, or what was chosen. */
export interface DraftColumn {
  readonly column: string;
  readonly role: Role;
  /** Empty where it has to be chosen. A column that is ignored keeps it. */
  readonly quantity: string;
  readonly unit: string;
  readonly decimal: '.' | ',';
  /** Nobody has to be asked: the name says it, or the reader did. */
  readonly decided: boolean;
  readonly certainty: SeenColumn['certainty'];
  readonly why: string;
}

export type Draft = readonly DraftColumn[];

export const REMEMBERED = 'as for your last file with these columns';
const BY_YOU = 'remembered for the next file with these columns';

export const draftOf = (look: Look): Draft =>
  look.columns.map(({ column, role, quantity, unit, decimal, certainty, why }) => ({
    column,
    role,
    quantity,
    unit,
    decimal,
    decided: certainty === 'certain',
    certainty,
    why,
  }));

/** The draft with one column changed by the reader. */
export function changed(draft: Draft, column: string, change: Partial<DraftColumn>): Draft {
  return draft.map((each) =>
    each.column === column ? { ...each, ...change, decided: true, certainty: 'yours', why: BY_YOU } : each,
  );
}

const OPEN_UNIT = '% of N CPUs';

/** What must still be said of a column; null where nothing must. */
export function openQuestion({ role, quantity, unit, decided, column }: DraftColumn): string | null {
  if (role === 'ignore') return decided ? null : `confirm that ${column} is ignored`;
  if (!quantity) return `choose what ${column} is`;
  if (unit === OPEN_UNIT) return `say of how many CPUs ${column} is`;
  return decided ? null : `confirm ${column}`;
}

export const openQuestions = (draft: Draft): string[] =>
  draft.flatMap((column) => {
    const open = openQuestion(column);
    return open ? [open] : [];
  });

/** What is sent: the columns that have a quantity and are not ignored; null where there are none. */
export function mappingOf(draft: Draft, layout: Look['layout']): TableMapping | null {
  const columns = draft
    .filter(({ role, quantity, unit }) => role !== 'ignore' && quantity && unit !== OPEN_UNIT)
    .map(({ column, quantity, unit, decimal }) => ({ column, quantity, unit, decimal }));
  return columns.length ? { columns, layout } : null;
}

/** Names of one's own are words of letters, digits, `_`, `.` and `-`. */
export const ownName = (column: string): string =>
  column.replace(/[^\p{L}\p{N}_.-]+/gu, '_').replace(/^[_.-]+|[_.-]+$/g, '') || 'column';

export const isOwn = (quantity: string): boolean => /^(factor|measure)\./.test(quantity);

/** Columns that say which run a row is, beside quantities. */
const NUMBERING: Readonly<Record<Exclude<Role, 'ignore'>, readonly (readonly [string, string])[]>> = {
  set: [
    ['replicate', 'Number of the run'],
    ['recorded_at', 'Time of the run'],
    ['order', 'Place among all runs'],
    ['block', 'Recorded together'],
  ],
  observed: [['n', 'Runs behind a mean']],
};

export interface Choices {
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
}

/** What a column may be in its role, what is likely first. */
export function choicesFor(
  { column, role, quantity }: DraftColumn,
  candidates: readonly string[],
  quantities: readonly Quantity[],
): Choices[] {
  if (role === 'ignore') return [];
  const wanted = role === 'set' ? 'factor' : 'measure';
  const named = quantities.filter((each) => each.role === wanted);
  const labels = named.map(({ label }) => label);
  const option = ({ name, label, unit }: Quantity): readonly [string, string] => [
    name,
    labels.filter((each) => each === label).length > 1 ? `${label}, ${unit}` : label,
  ];
  const likely = candidates.flatMap((name) => named.filter((each) => each.name === name));
  const rest = named.filter((each) => !likely.includes(each));
  const own = isOwn(quantity) ? quantity : `${wanted}.${ownName(column)}`;
  return [
    { label: 'Likely', options: likely.map(option) },
    { label: 'My own', options: [[own, own.replace(/^\w+\./, '')]] },
    { label: 'Which run', options: NUMBERING[role] },
    { label: likely.length ? 'Others' : 'Quantities', options: rest.map(option) },
  ].filter(({ options }) => options.length > 0) as Choices[];
}

/** The unit that goes along when another quantity is chosen: only between those of one unit. */
export function unitAlong(unit: string, from: string, to: string, quantities: readonly Quantity[]): string {
  const unitOf = (name: string) => quantities.find((each) => each.name === name)?.unit;
  return unitOf(from) !== undefined && unitOf(from) === unitOf(to) ? unit : '';
}
