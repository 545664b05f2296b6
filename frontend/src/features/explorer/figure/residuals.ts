// SPDX-License-Identifier: Apache-2.0
// Cells against model: one stem a cell, in rows of the upward axis; what the stems span together where they would touch.

import { decimal } from '../../../plots/number';
import { linear } from '../../../plots/scale';
import {
  END,
  type Kind,
  LETTER_PX,
  line,
  markPath,
  path,
  rect,
  type Shape,
  TEXT,
  TICK,
  text,
} from '../../../plots/shapes';
import { t95 } from '../../../state/fit';
import type { Point } from '../../../state/layout';
import { type Counted, type Frames, type Prepared, prepare } from '../../../state/prediction';
import type { View } from '../../../state/view';
import { settingText, unitAfter } from './messages';

/** The model at each cell, with the packets and interrupts that the cell itself counted. */
export interface Comparison {
  readonly points: readonly Point[];
  /** By the upward axis: which of the points are of each of its levels. */
  readonly rows: ReadonlyMap<number, readonly number[]>;
  /** The largest residual where the sliders start, in per cent: what the scale of the residuals has to hold. */
  readonly calm: number;
  predictions(theta: Readonly<Record<string, number>>): Float64Array;
}

export function countedIn(point: Pick<Point, 'cell'>): Counted {
  const ppi = point.cell.measures.packets_per_interrupt?.mean;
  const bytes = point.cell.measures.mean_packet_bytes?.mean;
  const mtu = point.cell.factors.mtu_bytes;
  return {
    ...(ppi === undefined ? {} : { packets_per_interrupt: ppi }),
    ...(bytes === undefined || typeof mtu !== 'number' ? {} : { packet_fill: bytes / mtu }),
  };
}

function rowsOf(points: readonly Point[]): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  points.forEach(({ y }, i) => {
    const row = rows.get(y);
    if (row) row.push(i);
    else rows.set(y, [i]);
  });
  return rows;
}

/** Cells that counted nothing themselves, row by row, and each of the others: to call the model of 10,000 one by one takes half a frame. */
function evaluatedTogether(points: readonly Point[], rows: ReadonlyMap<number, readonly number[]>): number[][] {
  const counts = (i: number): boolean => Object.keys(countedIn(points[i])).length > 0;
  return [...rows.values()].flatMap((row) => {
    const along = row.filter((i) => !counts(i)).sort((a, b) => points[a].x - points[b].x);
    return [...(along.length > 0 ? [along] : []), ...row.filter(counts).map((i) => [i])];
  });
}

export function comparisonOf(view: View, frames: Frames): Comparison | null {
  const { binding, points } = view;
  if (!binding || points.length === 0) return null;
  const rows = rowsOf(points);
  const groups = evaluatedTogether(points, rows).map((group): [readonly number[], Prepared] => {
    const [{ y }, xs] = [points[group[0]], group.map((i) => points[i].x)];
    return [group, prepare(binding, xs, [y], frames, countedIn(points[group[0]]))];
  });
  const out = new Float64Array(points.length);
  const predictions = (theta: Readonly<Record<string, number>>): Float64Array => {
    for (const [group, place] of groups) {
      const values = place.evaluate(binding.output, theta);
      for (let k = 0; k < group.length; k++) out[group[k]] = values[k];
    }
    return out;
  };
  return {
    points,
    rows,
    predictions,
    calm: Math.abs(worstOf(points, predictions(view.start))?.percent ?? 0),
  };
}

/** Observed − predicted, in percent of the cell; none where the cell is zero. */
export const residual = (point: Point, predicted: number): number =>
  point.mean === 0 ? Number.NaN : (100 * (point.mean - predicted)) / point.mean;

export function worstOf(points: readonly Point[], predictions: Float64Array): { point: Point; percent: number } | null {
  let worst: { point: Point; percent: number } | null = null;
  points.forEach((point, i) => {
    const percent = residual(point, predictions[i]);
    if (Number.isFinite(percent) && (!worst || Math.abs(percent) > Math.abs(worst.percent))) worst = { point, percent };
  });
  return worst;
}

/** The largest round number that is not above `v`. */
function niceBelow(v: number): number {
  const power = 10 ** Math.floor(Math.log10(v));
  return ([5, 2, 1].find((k) => k * power <= v) ?? 1) * power;
}

export const RESIDUALS_HEIGHT = 86;
const TOP = 3;
const HEIGHT = 62;
const RIGHT = 38;
/** Between rows, where there is room; never more of the width than the share. */
const GAP = 10;
const MOST_GAPS = 0.4;
/** Marks of cells that have less would lie on each other. */
export const LEAST_SLOT = 1.5;

export const signed = (v: number, digits: number): string => (v > 0 ? '+' : '') + decimal(v, digits);

/** "+1.2 %"; of a cell of zero the difference itself, "−1000 Mb/s". */
export function residualWords(
  { measure }: Pick<View, 'measure'>,
  point: Point,
  predicted: number,
  digits: { readonly percent: number; readonly value: number },
): string {
  return point.mean === 0
    ? signed(-predicted, digits.value) + unitAfter(measure)
    : `${signed(residual(point, predicted), digits.percent)} %`;
}

/** Where the cells of a row stand in the strip, and their residuals: none where the cell is zero. */
interface Row {
  readonly from: number;
  readonly slot: number;
  readonly percents: readonly number[];
  readonly ink: string;
  readonly kind: Kind;
}

/** Residuals as heights: those beyond the scale stand at its edge. */
interface Height {
  (percent: number): number;
  readonly zero: number;
  readonly base: number;
}

const tenths = (v: number): number => Math.round(v * 10) / 10;

function heightOf(base: number): Height {
  const y = linear([-base, base], [TOP + HEIGHT, TOP]);
  const height = (percent: number): number => tenths(Math.max(TOP, Math.min(TOP + HEIGHT, y(percent))));
  return Object.assign(height, { zero: tenths(y(0)), base });
}

const middleOf = ({ from, slot }: Row, k: number): number => tenths(from + (k + 0.5) * slot);

/** One path a row for the stems, one for the marks: a frame changes few elements. */
function stems(row: Row, height: Height, without: number): Shape[] {
  const { percents, ink, kind, slot } = row;
  const paths = { stems: '', full: '', hollow: '' };
  percents.forEach((v, k) => {
    if (!Number.isFinite(v) || k === without) return;
    const X = middleOf(row, k);
    paths.stems += `M${X} ${height.zero}V${height(v)}`;
    // beyond the scale: hollow, at its edge
    paths[Math.abs(v) > height.base ? 'hollow' : 'full'] += markPath(kind, X, height(v), radiusOf(slot));
  });
  return [
    path(paths.stems, { stroke: ink, 'stroke-width': 1.25 }),
    path(paths.full, { fill: ink, stroke: ink, 'stroke-width': 1 }),
    path(paths.hollow, { fill: 'var(--ground)', stroke: ink, 'stroke-width': 1 }),
  ];
}

/** Of the cells that share a pixel across, what their stems cover. */
function spans({ from, slot, percents, ink }: Row, height: Height): Shape[] {
  const covered = new Map<number, [number, number]>();
  percents.forEach((v, k) => {
    if (!Number.isFinite(v)) return;
    const X = Math.floor(from + k * slot);
    const end = height(v);
    const span = covered.get(X);
    if (!span) covered.set(X, [Math.min(height.zero, end), Math.max(height.zero, end)]);
    else if (end < span[0]) span[0] = end;
    else if (end > span[1]) span[1] = end;
  });
  const d = [...covered].map(([X, [top, bottom]]) => `M${X + 0.5} ${top}V${bottom}`).join('');
  return [path(d, { stroke: ink, 'stroke-width': 1 })];
}

const radiusOf = (slot: number): number => Math.min(2.5, Math.max(slot, LEAST_SLOT) / 2);

function crosshairMark(row: Row, height: Height, k: number): Shape[] {
  const v = row.percents[k];
  if (!Number.isFinite(v)) return [];
  const X = middleOf(row, k);
  const crosshair = { stroke: 'var(--crosshair)', 'stroke-width': 1.5 };
  const fill = Math.abs(v) > height.base ? 'var(--ground)' : 'var(--crosshair)';
  return [
    path(`M${X} ${height.zero}V${height(v)}`, crosshair),
    path(markPath(row.kind, X, height(v), radiusOf(row.slot)), { ...crosshair, fill }),
  ];
}

/** The interval of a residual where the model holds, and the scale. */
function strip({ fit }: View, { base, zero }: Height, width: number): Shape[] {
  const y = linear([-base, base], [TOP + HEIGHT, TOP]);
  const sd = fit?.diagnostics.residual_sd_percent;
  const s = typeof sd === 'number' && fit ? Math.min(base, sd * t95(fit.diagnostics.degrees_of_freedom)) : null;
  const tick = niceBelow(base * 0.9);
  return [
    ...(s === null ? [] : [rect(0, y(s), width - RIGHT, y(-s) - y(s), { fill: 'var(--ground-3)' })]),
    line(0, zero, width - RIGHT, zero, { stroke: 'var(--line-3)' }),
    ...[-tick, 0, tick].map((v) =>
      text(width, y(v), v === 0 ? '0' : `${signed(v, tick < 1 ? 1 : 0)} %`, { dy: '0.33em', ...END, ...TICK }),
    ),
  ];
}

/** Where the cells of each level of the upward axis stand: from which pixel on, and how wide each. */
export function* placesAcross(
  { points, rows }: Pick<Comparison, 'points' | 'rows'>,
  width: number,
): Generator<{ readonly y: number; readonly places: readonly number[]; readonly from: number; readonly slot: number }> {
  const across = width - RIGHT - 4;
  const gap = rows.size > 1 ? Math.min(GAP, (MOST_GAPS * across) / (rows.size - 1)) : 0;
  const slot = (across - (rows.size - 1) * gap) / points.length;
  let from = 2;
  for (const [y, places] of rows) {
    yield { y, places, from, slot };
    from += places.length * slot + gap;
  }
}

/** Stems, or what they cover. The scale starts at ±2.6 % and gives way in round steps. */
export function residualShapes(
  view: View,
  comparison: Comparison,
  predictions: Float64Array,
  place: { x: number; y: number },
  width: number,
  inks: ReadonlyMap<number, string>,
): Shape[] {
  const { points, rows } = comparison;
  const height = heightOf(Math.max(2.6, comparison.calm * 1.3));
  const out = strip(view, height, width);
  let last = -1;
  for (const { y, places, from, slot } of placesAcross(comparison, width)) {
    const ink = inks.get(y) ?? 'var(--ink)';
    const percents = places.map((i) => residual(points[i], predictions[i]));
    const row = { from, slot, percents, ink, kind: view.kind ?? 'measured' };
    const here = y === place.y ? places.findIndex((i) => points[i].x === place.x) : -1;
    out.push(...(slot < LEAST_SLOT ? spans(row, height) : stems(row, height, here)));
    if (here >= 0) out.push(...crosshairMark(row, height, here));
    const name = view.layout.y?.name === 'mtu_bytes' && last < 0 ? 'MTU ' : '';
    if (view.layout.y && (view.layout.shape === 'plane' || rows.size > 1) && from >= last) {
      const words = name + settingText(view.layout.y, y);
      out.push(text(from, RESIDUALS_HEIGHT - 6, words, { 'font-size': TEXT.label, 'font-weight': 600, fill: ink }));
      last = from + words.length * LETTER_PX.digit + 4;
    }
  }
  return out;
}
