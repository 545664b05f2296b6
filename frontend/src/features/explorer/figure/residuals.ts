// SPDX-License-Identifier: Apache-2.0
// Cells against model: one stem a cell, in rows of the upward axis.

import { decimal } from '../../../plots/number';
import { linear } from '../../../plots/scale';
import { END, LETTER_PX, line, markPath, path, rect, type Shape, TEXT, TICK, text } from '../../../plots/shapes';
import { t95 } from '../../../state/fit';
import type { Point } from '../../../state/layout';
import { type Counted, type Frames, type Prepared, prepare } from '../../../state/prediction';
import type { View } from '../../../state/view';
import { settingText, unitAfter } from './messages';

/** The model at each cell, with the packets and interrupts that the cell itself counted. */
export interface Comparison {
  readonly points: readonly Point[];
  /** The largest residual where the sliders start, in per cent: what the scale of the residuals has to hold. */
  readonly calm: number;
  predictions(theta: Readonly<Record<string, number>>): Float64Array;
}

function countedIn(point: Point): Counted {
  const ppi = point.cell.measures.packets_per_interrupt?.mean;
  const bytes = point.cell.measures.mean_packet_bytes?.mean;
  const mtu = point.cell.factors.mtu_bytes;
  return {
    ...(ppi === undefined ? {} : { packets_per_interrupt: ppi }),
    ...(bytes === undefined || typeof mtu !== 'number' ? {} : { packet_fill: bytes / mtu }),
  };
}

export function comparisonOf(view: View, frames: Frames): Comparison | null {
  const { binding, points } = view;
  if (!binding || points.length === 0) return null;
  const places: Prepared[] = points.map((p) => prepare(binding, [p.x], [p.y], frames, countedIn(p)));
  const out = new Float64Array(points.length);
  const predictions = (theta: Readonly<Record<string, number>>): Float64Array => {
    places.forEach((place, i) => {
      out[i] = place.evaluate(binding.output, theta)[0];
    });
    return out;
  };
  return { points, predictions, calm: Math.abs(worstOf(points, predictions(view.start))?.percent ?? 0) };
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
const GAP = 10;

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

/** Stems. The scale starts at ±2.6 % and gives way in round steps. */
export function residualShapes(
  view: View,
  comparison: Comparison,
  predictions: Float64Array,
  place: { x: number; y: number },
  width: number,
  inks: ReadonlyMap<number, string>,
): Shape[] {
  const { points } = comparison;
  const base = Math.max(2.6, comparison.calm * 1.3);
  const tick = niceBelow(base * 0.9);
  const y = linear([-base, base], [TOP + HEIGHT, TOP]);
  const out: Shape[] = [];
  const sd = view.fit?.diagnostics.residual_sd_percent;
  if (typeof sd === 'number' && view.fit) {
    const s = Math.min(base, sd * t95(view.fit.diagnostics.degrees_of_freedom));
    out.push(rect(0, y(s), width - RIGHT, y(-s) - y(s), { fill: 'var(--ground-3)' }));
  }
  out.push(line(0, y(0), width - RIGHT, y(0), { stroke: 'var(--line-3)' }));
  for (const v of [-tick, 0, tick])
    out.push(text(width, y(v), v === 0 ? '0' : `${signed(v, tick < 1 ? 1 : 0)} %`, { dy: '0.33em', ...END, ...TICK }));
  const rows = [...new Set(points.map((p) => p.y))];
  const slot = (width - RIGHT - 4 - (rows.length - 1) * GAP) / points.length;
  const kind = view.kind ?? 'measured';
  const radius = Math.min(2.5, slot / 2);
  const zero = Math.round(y(0) * 10) / 10;
  let left = 2;
  let last = -1;
  for (const row of rows) {
    const ink = inks.get(row) ?? 'var(--ink)';
    const from = left;
    // one path a row for the stems, one for the marks: a frame changes few elements
    const paths = { stems: '', full: '', hollow: '' };
    let here: Shape[] = [];
    points.forEach((p, i) => {
      if (p.y !== row) return;
      const X = Math.round((left + slot / 2) * 10) / 10;
      left += slot;
      const v = residual(p, predictions[i]);
      if (!Number.isFinite(v)) return;
      const Y = Math.round(Math.max(TOP, Math.min(TOP + HEIGHT, y(v))) * 10) / 10;
      const outline = markPath(kind, X, Y, radius);
      const beyond = Math.abs(v) > base;
      if (p.x === place.x && p.y === place.y) {
        const crosshair = { stroke: 'var(--crosshair)', 'stroke-width': 1.5 };
        here = [
          path(`M${X} ${zero}V${Y}`, crosshair),
          path(outline, { ...crosshair, fill: beyond ? 'var(--ground)' : 'var(--crosshair)' }),
        ];
        return;
      }
      paths.stems += `M${X} ${zero}V${Y}`;
      // beyond the scale: hollow, at its edge
      paths[beyond ? 'hollow' : 'full'] += outline;
    });
    out.push(path(paths.stems, { stroke: ink, 'stroke-width': 1.25 }));
    out.push(path(paths.full, { fill: ink, stroke: ink, 'stroke-width': 1 }));
    out.push(path(paths.hollow, { fill: 'var(--ground)', stroke: ink, 'stroke-width': 1 }));
    out.push(...here);
    const name = view.layout.y?.name === 'mtu_bytes' && last < 0 ? 'MTU ' : '';
    if (view.layout.y && (view.layout.shape === 'plane' || rows.length > 1) && from >= last) {
      const words = name + settingText(view.layout.y, row);
      out.push(text(from, RESIDUALS_HEIGHT - 6, words, { 'font-size': TEXT.label, 'font-weight': 600, fill: ink }));
      last = from + words.length * LETTER_PX.digit + 4;
    }
    left += GAP;
  }
  return out;
}
