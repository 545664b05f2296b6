// SPDX-License-Identifier: Apache-2.0
// What a sweep is about to measure, as cells without runs: their places are known before their values.
import type { Cell, Factors, FactorValue } from '../api/types';
import { type Layout, matches, positionOn } from './layout';

/** A device may take another value than it was asked for; within this share it is the same setting. */
const TOLERANCE = 0.02;

const near = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));

/** The planned settings; a number that is close to a level that was measured is that level. */
export function plannedCells(planned: readonly Factors[], cells: readonly Cell[]): Cell[] {
  const levels = new Map<string, Set<number>>();
  for (const { factors } of cells)
    for (const [name, level] of Object.entries(factors))
      if (typeof level === 'number') levels.set(name, (levels.get(name) ?? new Set()).add(level));
  const settled = (name: string, level: FactorValue): FactorValue => {
    if (typeof level !== 'number') return level;
    const close = [...(levels.get(name) ?? [])].filter((known) => near(known, level));
    return close.sort((a, b) => Math.abs(a - level) - Math.abs(b - level))[0] ?? level;
  };
  return planned.map((factors, i) => ({
    id: -1 - i,
    factors: Object.fromEntries(Object.entries(factors).map(([name, level]) => [name, settled(name, level)])),
    runs: 0,
    partial_runs: 0,
    measures: {},
  }));
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

function placeOf(layout: Layout, { factors }: Cell): Place | null {
  const x = layout.x ? positionOn(layout.x, factors[layout.x.name]) : 0;
  const y = layout.y ? positionOn(layout.y, factors[layout.y.name]) : 0;
  return x === null || y === null ? null : { x, y };
}

/** Where in the picture a sweep has yet to measure: each place once, and none that has a cell. */
export function placesToCome(
  layout: Layout,
  where: Factors,
  planned: readonly Cell[],
  measured: readonly Cell[],
): Place[] {
  const key = ({ x, y }: Place): string => `${x},${y}`;
  const taken = new Set(measured.flatMap((cell) => placeOf(layout, cell) ?? []).map(key));
  const found = new Map<string, Place>();
  for (const cell of planned) {
    const place = matches(cell, where) ? placeOf(layout, cell) : null;
    if (place && !taken.has(key(place))) found.set(key(place), place);
  }
  return [...found.values()];
}
