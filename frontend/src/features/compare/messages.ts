// SPDX-License-Identifier: Apache-2.0
// What a comparison says, in sentences and rows. No DOM.
import type { CellMeasure, ComparedCell, Comparison, Environment } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { brief, decimal } from '../../plots/number';
import { csvField } from '../../state/csv';
import { letterOf } from './address';

const MINUS = '\u2212';

/** `3.1 % more`, `12 % less`, `the same`; beside an interval, with as many decimals as it has. */
export function change(ratio: number, digits?: number): string {
  const percent = 100 * (ratio - 1);
  if (Math.abs(percent) < 0.005) return 'the same';
  if (ratio >= 3) return `${brief(ratio, 3)} times as much`;
  const size = Math.abs(percent);
  return `${digits === undefined ? brief(size, 3) : decimal(size, digits)} % ${percent > 0 ? 'more' : 'less'}`;
}

/** Why no measure is offered, by the number of cells of each side. */
export function nothingShared(cells: readonly number[]): string {
  const empty = cells.flatMap((count, place) => (count === 0 ? [letterOf(place)] : []));
  return empty.length > 0 ? `No cell of ${empty.join(', ')} has these levels` : 'They have no measure in common';
}

const signed = (ratio: number, digits: number | undefined): string => {
  const percent = 100 * (ratio - 1);
  const size = Math.abs(percent);
  return `${percent < 0 ? MINUS : '+'}${digits === undefined ? brief(size, 3) : decimal(size, digits)}`;
};

/** `−1.2 to +3.4 %`; in a column, with as many decimals each. */
export function span(interval: readonly [number, number] | null, digits?: number): string {
  return interval === null ? 'not known' : `${signed(interval[0], digits)} to ${signed(interval[1], digits)} %`;
}

const MOST_DECIMALS = 12;

/** Where the first digit of a number stands: 0 for 1 to 9, −2 for 0.01. */
const place = (size: number): number => (size > 0 ? Math.floor(Math.log10(size)) : 0);

/** Decimals of the means of a column that have no interval: four digits of the largest. */
export function decimalsOf(measures: readonly CellMeasure[]): number {
  const alone = measures.flatMap(({ mean, ci95 }) => (ci95 ? [] : [Math.abs(mean)]));
  const largest = place(Math.max(0, ...alone));
  return Math.max(0, Math.min(3 - largest, MOST_DECIMALS));
}

/** Decimals of intervals that stand together, in percent: two digits of the narrowest. */
export function spanDecimals(intervals: readonly (readonly [number, number] | null)[]): number {
  const widths = intervals.map((ci) => (ci ? 100 * (ci[1] - ci[0]) : 0)).filter((w) => w > 0);
  return widths.length > 0 ? Math.max(0, Math.min(3, 1 - place(Math.min(...widths)))) : 1;
}

/** A cell's outcome in words, with the decimals of its interval; a difference that may be chance counts as none. */
export function outcome(
  { ratio, resolved, verdict, simultaneous_ci95: interval }: ComparedCell,
  digits = spanDecimals([interval]),
): string {
  if (interval === null) return 'no interval';
  if (!resolved) return 'not significantly different';
  return [change(ratio, digits), verdict === 'better' || verdict === 'worse' ? verdict : ''].filter(Boolean).join(', ');
}

function counted(n: number, one: string, several: string): string {
  return `${n} ${n === 1 ? one : several}`;
}

function overall({ overall_ratio: ratio, overall_ci95: interval }: Comparison): string {
  if (interval === null) return `There is no interval: on the face of it ${change(ratio)}.`;
  const significant = interval[0] > 1 || interval[1] < 1;
  const digits = spanDecimals([interval]);
  const within = `95 % interval ${span(interval, digits)}`;
  return significant
    ? `Overall ${change(ratio, digits)} (${within}).`
    : `Overall they are not significantly different (${within}).`;
}

/** The whole comparison in a few sentences. */
export function summary(comparison: Comparison, a: string, b: string): string {
  const { cells, measure, only_a, only_b } = comparison;
  const resolved = cells.filter((cell) => cell.resolved && cell.simultaneous_ci95 !== null);
  const better = resolved.filter(({ verdict }) => verdict === 'better').length;
  const worse = resolved.filter(({ verdict }) => verdict === 'worse').length;
  const blind = cells.filter(({ simultaneous_ci95: interval }) => interval === null).length;
  const open = cells.length - resolved.length - blind;
  const parts = [
    comparison.better === null
      ? resolved.length > 0 && counted(resolved.length, 'differs', 'differ')
      : [better && `${better} better`, worse && `${worse} worse`].filter(Boolean).join(', '),
    open > 0 && `${open} not significantly different`,
    blind > 0 && `${blind} without an interval`,
  ].filter(Boolean);
  const rest = [only_a.length && `${only_a.length} only in ${a}`, only_b.length && `${only_b.length} only in ${b}`];
  const others = rest.filter(Boolean).join(' and ');
  return [
    `${b} against ${a}, ${inSentence(measure.label)}, over ${counted(cells.length, 'setting', 'settings')} that both have.`,
    overall(comparison),
    parts.length > 0 &&
      `Of the settings: ${parts.join('; ')}${blind < cells.length ? ', corrected for their number' : ''}.`,
    others && `Left out: ${others}.`,
    comparison.message,
  ]
    .filter(Boolean)
    .join(' ');
}

export interface FactRow {
  readonly name: string;
  /** By side: what it was, in how many runs. */
  readonly values: readonly string[];
  readonly same: boolean;
}

// what decides most comes first
const FIRST = [
  'kernel',
  'driver',
  'firmware',
  'module_version',
  'counter_source',
  'offloads',
  'ring',
  'queues',
  'interrupt_affinity',
  'pause',
  'coalescing',
  'gro_flush',
  'napi',
  'governor',
  'idle',
  'cpu',
];

function rankOf(name: string): number {
  const place = FIRST.findIndex((start) => name.startsWith(start));
  return place < 0 ? FIRST.length : place;
}

const ABSENT = 'not recorded';

function valuesOf(environment: Environment, name: string): { words: string; key: string } {
  const fact = environment.facts.find((each) => each.name === name);
  if (!fact) return { words: ABSENT, key: ABSENT };
  const each = fact.values.map(({ value, runs }) => ({ value: value ?? ABSENT, runs }));
  const key = JSON.stringify([...each.map(({ value }) => value)].sort().concat(String(fact.more)));
  if (each.length === 1) return { words: each[0].value || '–', key };
  const shown = each
    .slice(0, each.length > 3 ? 1 : 3)
    .map(({ value, runs }) => `${value} (${counted(runs, 'run', 'runs')})`);
  const more = each.length - shown.length + fact.more;
  return { words: [...shown, ...(more > 0 ? [`${more} other values`] : [])].join('; '), key };
}

/** Every fact of any side; those that differ first, and of them those that decide most. */
export function factRows(environments: readonly Environment[]): FactRow[] {
  const names = [...new Set(environments.flatMap(({ facts }) => facts.map(({ name }) => name)))];
  const rows = names.map((name) => {
    const each = environments.map((environment) => valuesOf(environment, name));
    return { name, values: each.map(({ words }) => words), same: new Set(each.map(({ key }) => key)).size === 1 };
  });
  return rows.sort((a, b) => Number(a.same) - Number(b.same) || rankOf(a.name) - rankOf(b.name));
}

/** The cells as a table for other programs. */
export function csvOf(comparisons: readonly { comparison: Comparison; name: string }[]): string {
  const factors = [
    ...new Set(comparisons.flatMap(({ comparison }) => comparison.cells.flatMap((c) => Object.keys(c.factors)))),
  ];
  const head = ['a', 'b', 'measure', 'unit', ...factors];
  head.push('a_n', 'a_mean', 'b_n', 'b_mean', 'ratio', 'ratio_low', 'ratio_high', 'p_adjusted', 'resolved');
  const rows = comparisons.flatMap(({ comparison: { a, b, measure, cells } }) =>
    cells.map((cell) => [
      a.experiment,
      b.experiment,
      measure.name,
      measure.unit,
      ...factors.map((name) => cell.factors[name] ?? null),
      ...[cell.a.n, cell.a.mean, cell.b.n, cell.b.mean, cell.ratio],
      ...(cell.simultaneous_ci95 ?? [null, null]),
      cell.p_value,
      cell.resolved ? 'yes' : 'no',
    ]),
  );
  return [head, ...rows].map((row) => `${row.map(csvField).join(',')}\n`).join('');
}
