// SPDX-License-Identifier: Apache-2.0
// Which cells of several experiments lie beside each other: one panel for each setting of the other factors. No DOM.
import type { Cell, CellMeasure, Comparison, Factors, FactorValue, Kind, Quantity } from '../../api/types';
import { labelOf, levelInWords, shortLabel } from '../../components/factorWords';
import { isDelay } from '../../state/layout';

export interface Known {
  readonly kind: Kind;
  readonly cells: readonly Cell[];
}

export interface Point {
  readonly x: number;
  readonly summary: CellMeasure;
}

export interface Ratio {
  readonly x: number;
  readonly ratio: number;
  readonly interval: readonly [number, number] | null;
  readonly resolved: boolean;
  /** Runs of the first side and of this one. */
  readonly n: readonly [number, number];
}

export interface Panel {
  readonly key: string;
  readonly factors: Factors;
  /** By side. */
  readonly lines: readonly (readonly Point[])[];
  /** Of each side after the first, over the first. */
  readonly ratios: readonly (readonly Ratio[])[];
}

export interface Plan {
  /** The factor along the axis; null where none has numbers. */
  readonly x: string | null;
  /** What the sides differ in throughout. */
  readonly differing: readonly string[];
  readonly panels: readonly Panel[];
}

const namesOf = (cells: readonly Cell[]): string[] => [
  ...new Set(cells.flatMap(({ factors }) => Object.keys(factors))),
];
const levels = (cells: readonly Cell[], name: string): Set<FactorValue | undefined> =>
  new Set(cells.map(({ factors }) => factors[name]));

/** Factors with one level on each side, and not the same on all. */
export function differingIn(sides: readonly Pick<Known, 'cells'>[]): string[] {
  const names = [...new Set(sides.flatMap(({ cells }) => namesOf(cells)))];
  return names.filter((name) => {
    const each = sides.map(({ cells }) => levels(cells, name));
    return each.every((own) => own.size === 1) && new Set(each.flatMap((own) => [...own])).size > 1;
  });
}

/** A factor of both without a level in common, with the levels that each has: held to one of them each, they can be compared. */
export interface Apart {
  readonly name: string;
  readonly levels: readonly [readonly FactorValue[], readonly FactorValue[]];
}

export function apartFactors(a: readonly Cell[], b: readonly Cell[]): Apart[] {
  return namesOf(a).flatMap((name) => {
    const [own, other] = [a, b].map((cells) => [...levels(cells, name)].filter((level) => level !== undefined));
    const apart = own.length > 0 && other.length > 0 && !own.some((level) => other.includes(level));
    return apart ? [{ name, levels: [own, other] }] : [];
  });
}

function axisOf(sides: readonly Known[], without: readonly string[]): string | null {
  const every = sides.flatMap(({ cells }) => [...cells]);
  const numeric = namesOf(every).filter(
    (name) => !without.includes(name) && [...levels(every, name)].every((v) => typeof v === 'number'),
  );
  const rank = (name: string): number => levels(every, name).size + (isDelay(name) ? 100 : 0);
  return numeric.sort((a, b) => rank(b) - rank(a))[0] ?? null;
}

function restOf(factors: Factors, without: readonly (string | null)[]): Factors {
  return Object.fromEntries(
    Object.entries(factors)
      .filter(([name]) => !without.includes(name))
      .sort(([a], [b]) => a.localeCompare(b)),
  );
}

function inOrder(a: Factors, b: Factors): number {
  for (const name of Object.keys({ ...a, ...b }).sort()) {
    const [u, v] = [a[name], b[name]];
    if (u === v) continue;
    return typeof u === 'number' && typeof v === 'number' ? u - v : String(u).localeCompare(String(v));
  }
  return 0;
}

/** Cells side by side; the comparisons give the ratios of the settings that both sides have. */
export function planOf(
  sides: readonly Known[],
  comparisons: readonly (Comparison | undefined)[],
  measure: string,
): Plan {
  const known = sides.map((side) => ({ ...side, cells: side.cells.filter((cell) => measure in cell.measures) }));
  const differing = differingIn(known);
  const x = axisOf(known, differing);
  const found = new Map<string, { factors: Factors; lines: Point[][]; ratios: Ratio[][] }>();
  const panelFor = (factors: Factors) => {
    const rest = restOf(factors, [...differing, x]);
    const key = JSON.stringify(rest);
    const panel = found.get(key) ?? {
      factors: rest,
      lines: sides.map(() => []),
      ratios: sides.slice(1).map(() => []),
    };
    found.set(key, panel);
    return panel;
  };
  const along = (factors: Factors): number => (x === null ? 0 : Number(factors[x]));
  known.forEach(({ cells }, side) => {
    for (const { factors, measures } of cells)
      panelFor(factors).lines[side].push({ x: along(factors), summary: measures[measure] });
  });
  comparisons.forEach((comparison, other) => {
    for (const { factors, ratio, simultaneous_ci95: interval, resolved, a, b } of comparison?.cells ?? [])
      panelFor(factors).ratios[other].push({ x: along(factors), ratio, interval, resolved, n: [a.n, b.n] });
  });
  const panels = [...found].map(([key, panel]) => ({ key, ...panel }));
  for (const { lines, ratios } of panels) for (const each of [...lines, ...ratios]) each.sort((a, b) => a.x - b.x);
  return { x, differing, panels: panels.sort((a, b) => inOrder(a.factors, b.factors)) };
}

/** `MTU 1500, workload udp`. */
export function settingWords(factors: Factors, quantities: readonly Quantity[] | undefined): string {
  const said = Object.entries(factors).map(([name, level]) => {
    const unit = quantities?.find((quantity) => quantity.name === name)?.unit ?? '';
    const bare = name === 'mtu_bytes' || unit === '' || unit === '1';
    return `${shortLabel(name, labelOf(name, quantities))} ${levelInWords(level)}${bare ? '' : `\u00a0${unit}`}`;
  });
  return said.join(', ');
}
