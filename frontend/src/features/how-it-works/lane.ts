// SPDX-License-Identifier: Apache-2.0
// What every picture of a moment has: lanes over one time axis, now at the crosshair. What lies ahead is not drawn. No DOM.
import { brief, decimal } from '../../plots/number';
import { niceStep } from '../../plots/scale';
import { AXIS, HALO, LETTER_PX, LIVE, line, MIDDLE, NOTE, type Shape, TICK, text } from '../../plots/shapes';

export const TITLE = 18;
export const GAP = 12;
const AXIS_HEIGHT = 24;
const NARROW = 560;
/** Now stands here, as a share of the width. */
const NOW = 0.86;

export interface Place {
  readonly top: number;
  readonly bottom: number;
}

/** Lanes of such heights below each other. */
export function stacked(heights: readonly number[]): readonly Place[] {
  let y = AXIS_HEIGHT;
  return heights.map((height) => {
    const top = y + TITLE;
    y = top + height + GAP;
    return { top, bottom: top + height };
  });
}

export const heightOf = (places: readonly Place[]): number => places[places.length - 1].bottom + 8;

export interface View {
  readonly now_us: number;
  /** The moment at the left edge. */
  readonly from: number;
  readonly width: number;
  readonly narrow: boolean;
  readonly crosshair: number;
  readonly x: (t: number) => number;
  readonly us_per_px: number;
}

export function viewOf(span_us: number, now_us: number, width: number): View {
  const narrow = width < NARROW;
  const scale = width / (span_us * (narrow ? 0.5 : 1));
  const crosshair = Math.round(width * NOW);
  const x = (t: number): number => crosshair + (t - now_us) * scale;
  return { now_us, from: now_us - crosshair / scale, width, narrow, crosshair, x, us_per_px: 1 / scale };
}

export const rounded = (v: number): number => Math.round(v * 10) / 10;

export const box = (x0: number, x1: number, y0: number, y1: number): string =>
  `M${rounded(x0)} ${rounded(y0)}H${rounded(Math.max(x1, x0 + 0.6))}V${rounded(y1)}H${rounded(x0)}Z`;

export function axis(f: View, height: number): Shape[] {
  const step = niceStep((f.now_us - f.from) / (f.narrow ? 3 : 8));
  const shapes: Shape[] = [];
  for (let k = Math.max(0, Math.ceil(f.from / step)); k * step <= f.now_us; k++) {
    const x = f.x(k * step);
    shapes.push(line(x, AXIS_HEIGHT - 4, x, height, { stroke: 'var(--line)' }));
    // the crosshair's own number stands there
    if (f.crosshair - x > 56 && x > 12) shapes.push(text(x, 12, brief(k * step, 6), { ...TICK, ...MIDDLE }));
  }
  return shapes;
}

export const crosshair = (f: View, height: number): Shape[] => [
  line(f.crosshair, AXIS_HEIGHT - 4, f.crosshair, height, { stroke: 'var(--crosshair)', 'stroke-width': 2 }),
  text(f.crosshair, 12, `${decimal(f.now_us, f.now_us < 1000 ? 1 : 0)} µs`, { ...LIVE, ...HALO, ...MIDDLE }),
];

export const titled = ({ top }: Place, words: string, value: string): Shape[] => [
  text(0, top - 5, words, { ...AXIS, ...HALO, 'font-weight': 600, fill: 'var(--ink)' }),
  text(words.length * LETTER_PX.name + 10, top - 5, value, { ...NOTE, ...HALO, fill: 'var(--ink-2)' }),
];

export const floor = (f: View, { bottom }: Place): Shape =>
  line(0, bottom, f.width, bottom, { stroke: 'var(--line-2)' });

/** A packet that still waits sinks slowly: it is never further than nine tenths of its way. */
export function sunk(f: View, from: number, top: number, bottom: number): number {
  const waited = (f.now_us - from) / f.us_per_px;
  return top + (bottom - top) * 0.9 * (1 - Math.exp(-waited / 60));
}
