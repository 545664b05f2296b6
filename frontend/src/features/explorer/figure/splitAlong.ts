// SPDX-License-Identifier: Apache-2.0
// The cost along an axis, stacked: what bytes, packets and interrupts cost from one end of the settings to the other.
import { decimal, setting } from '../../../plots/number';
import { linear, makeScale, type Scale } from '../../../plots/scale';
import { END, line, MIDDLE, path, type Shape, TICK, text } from '../../../plots/shapes';
import type { Axis } from '../../../state/layout';

export const ALONG_HEIGHT = 96;
const ALONG_SAMPLES = 61;
const BOTTOM = 78;
const RIGHT = 34;
const FILLS = ['var(--cost-byte)', 'var(--cost-packet)', 'var(--cost-interrupt)'];

export interface Along {
  readonly axis: Axis;
  readonly bounds: readonly [number, number];
  readonly scale: Scale;
  readonly samples: Float64Array;
}

/** The settings of an axis from the first to the last, evenly spread over the width. */
export function alongOf(axis: Axis, width: number): Along {
  const bounds = [axis.levels[0], axis.levels[axis.levels.length - 1]] as const;
  const scale = makeScale(axis.levels, axis.spacing, bounds, [0, Math.max(1, width - RIGHT)]);
  const end = Math.max(1, width - RIGHT);
  const samples = Float64Array.from({ length: ALONG_SAMPLES }, (_, i) =>
    Math.max(bounds[0], Math.min(bounds[1], scale.invert((end * i) / (ALONG_SAMPLES - 1)))),
  );
  return { axis, bounds, scale, samples };
}

const ROUND = [1, 1.5, 2, 3, 5, 7.5, 10];

/** The value at the upper edge: round, so that it stands still while a slider moves a little, and the same however one came here. */
export function topAbove(highest: number): number {
  if (!(highest > 0 && highest < Infinity)) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return power * (ROUND.find((top) => top * power >= 1.02 * highest) ?? 15);
}

const place = (v: number): string => String(Math.round(v * 10) / 10);

/** `parts`: bytes, packets, interrupts at each sample. `top`: the value at the upper edge. */
export function alongShapes(
  { axis, bounds, scale, samples }: Along,
  parts: readonly Float64Array[],
  at: number | null,
  top: number,
  width: number,
): Shape[] {
  const y = linear([0, top], [BOTTOM, 4]);
  const end = Math.max(1, width - RIGHT);
  const xs = Array.from(samples, (_, i) => (end * i) / (samples.length - 1));
  const base = new Float64Array(samples.length);
  const out: Shape[] = parts.map((part, k) => {
    const lower = xs.map((x, i) => `${place(x)} ${place(y(base[i]))}`);
    for (let i = 0; i < base.length; i++) base[i] += Math.max(0, part[i]);
    const upper = xs.map((x, i) => `${place(x)} ${place(Math.max(0, y(base[i])))}`);
    return path(`M${upper.join('L')}L${lower.reverse().join('L')}Z`, { fill: FILLS[k] });
  });
  const highest = Math.max(...base);
  out.push(line(0, BOTTOM, end, BOTTOM, { stroke: 'var(--line-3)' }));
  for (const level of axis.levels)
    out.push(line(scale(level), BOTTOM, scale(level), BOTTOM + 3, { stroke: 'var(--line-3)' }));
  const digits = highest < 10 ? 2 : highest < 100 ? 1 : 0;
  for (const v of [base[0], base[base.length - 1]])
    if (Number.isFinite(v) && (v === base[base.length - 1] || Math.abs(y(v) - y(base[base.length - 1])) > 12))
      out.push(text(width, Math.max(8, y(v)), decimal(v, digits), { dy: '0.33em', ...END, ...TICK }));
  out.push(text(0, BOTTOM + 15, setting(bounds[0]), TICK));
  out.push(text(end, BOTTOM + 15, setting(bounds[1]), { ...END, ...TICK }));
  if (at !== null && at >= bounds[0] && at <= bounds[1]) {
    const X = scale(at);
    out.push(line(X, 0, X, BOTTOM + 3, { stroke: 'var(--crosshair)', 'stroke-width': 1.5 }));
    if (X > 40 && X < end - 40)
      out.push(text(X, BOTTOM + 15, setting(at), { ...MIDDLE, ...TICK, fill: 'var(--crosshair-ink)' }));
  }
  return out;
}
