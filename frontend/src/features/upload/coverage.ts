// SPDX-License-Identifier: Apache-2.0
// How many replicates of each cell are on disk, and how many of them came just now.
import type { Cell, Experiment, Factors, FactorValue, UploadedCell, UploadReceipt } from '../../api/types';
import { defaultAxes, NONE } from '../../state/layout';

export interface CoverageCell {
  runs: number;
  added: number;
}

export interface Coverage extends Span {
  columns: FactorValue[];
  /** Highest level first, as on the surface. */
  lines: FactorValue[];
  /** By line, then column. */
  cells: CoverageCell[][];
  /** The most that any cell has: what the others are measured against. */
  most: number;
}

function levelsOf(cells: readonly Cell[], name: string): FactorValue[] {
  const levels = new Set(cells.flatMap(({ factors }) => (name in factors ? [factors[name]] : [])));
  return [...levels].sort((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : `${a}`.localeCompare(`${b}`),
  );
}

/** What a grid spans: the factors across and up. */
export interface Span {
  readonly x: string | null;
  readonly y: string | null;
}

/** As the experiment's picture opens. */
export function spanOf(experiment: Experiment): Span {
  const { x, y } = defaultAxes(experiment);
  return { x: x === NONE ? null : x, y: y === NONE ? null : y };
}

/** The settings beside the two axes, as one text: cells of equal text belong to one grid. */
export function sliceOf(factors: Factors, { x, y }: Span): string {
  return Object.entries(factors)
    .filter(([name]) => name !== x && name !== y)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&');
}

/** The grids of an experiment: one for each combination of the other factors. */
export function slicesOf(cells: readonly Cell[], span: Span): Map<string, Factors> {
  const slices = new Map<string, Factors>();
  for (const { factors } of cells) {
    const others = Object.fromEntries(Object.entries(factors).filter(([name]) => name !== span.x && name !== span.y));
    slices.set(sliceOf(factors, span), others);
  }
  return slices;
}

/** What these receipts stored, by cell, and the ids of those that list not all of their runs: their cells are asked for. */
export function cameWith(receipts: readonly UploadReceipt[]): { cells: UploadedCell[]; longer: string[] } {
  const stored = receipts.filter(({ outcome }) => outcome === 'stored');
  const isWhole = ({ runs, run_count }: UploadReceipt) => runs.length === run_count;
  return {
    cells: stored.filter(isWhole).flatMap(({ runs }) => runs.map(({ factors }) => ({ factors, runs: 1 }))),
    longer: stored.filter((receipt) => !isWhole(receipt)).map(({ id }) => id),
  };
}

/** `came`: how many runs of each cell came just now. */
export function coverageOf(cells: readonly Cell[], span: Span, slice: string, came: readonly UploadedCell[]): Coverage {
  const { x, y } = span;
  const mine = cells.filter(({ factors }) => sliceOf(factors, span) === slice);
  const columns = x ? levelsOf(mine, x) : [''];
  const lines = y ? levelsOf(mine, y).reverse() : [''];
  const place = (factors: Factors) =>
    sliceOf(factors, span) === slice ? `${y ? factors[y] : ''} ${x ? factors[x] : ''}` : null;
  const runs = new Map(mine.map((cell) => [place(cell.factors), cell.runs]));
  const added = new Map<string | null, number>();
  for (const { factors, runs: more } of came) added.set(place(factors), (added.get(place(factors)) ?? 0) + more);
  const cellAt = (line: FactorValue, column: FactorValue): CoverageCell => {
    const key = `${line} ${column}`;
    const total = runs.get(key) ?? 0;
    return { runs: total, added: Math.min(total, added.get(key) ?? 0) };
  };
  const grid = lines.map((line) => columns.map((column) => cellAt(line, column)));
  return { x, y, columns, lines, cells: grid, most: Math.max(0, ...grid.flat().map((cell) => cell.runs)) };
}
