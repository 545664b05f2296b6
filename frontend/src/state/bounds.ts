// SPDX-License-Identifier: Apache-2.0
// Bounds of a picture: along its axes, and of the scale of its values.
import { niceStep, paddedDomain } from '../plots/scale';
import type { Binding } from './binding';
import { shortened } from './explorer';
import type { Field } from './field';
import type { Axis, Layout, Point } from './layout';
import { type Frames, prepare } from './prediction';

const SHARE = 0.065;

/** Picture bounds where there is no axis: all stands at 0. */
export const NOWHERE = [-0.5, 0.5] as const;

/** Picture bounds of an axis. */
export function boundsOf(axis: Axis, upward: boolean): readonly [number, number] {
  if (axis.bounds) return axis.bounds;
  const [lo, hi] = paddedDomain(axis.levels, axis.spacing, upward ? 0.12 : SHARE);
  // an axis of positive values ends above zero: values between cells are even in its logarithm
  const [least] = axis.levels;
  return [shortened(least > 0 ? Math.max(lo, least / 2) : lo), shortened(hi)];
}

const SAMPLES = 33;

/** What stands over a picture: a model with the values of its sliders, or the values between the cells. */
interface Surface {
  readonly layout: Layout;
  readonly binding: Binding | null;
  readonly field: Field | null;
  readonly start: Readonly<Record<string, number>>;
}

/** A coarse grid over the measured settings: for the bounds of the value scale. */
export function coarse({ layout, binding, field, start }: Surface, frames: Frames): Float64Array {
  const range = (axis: Axis | null): Float64Array => {
    if (!axis || axis.levels.length < 2) return Float64Array.of(axis?.levels[0] ?? 0);
    const [lo, hi] = axis.bounds ?? [axis.levels[0], axis.levels[axis.levels.length - 1]];
    const logs = axis.spacing !== 'linear' && lo > 0;
    return Float64Array.from({ length: SAMPLES }, (_, i) => {
      const t = i / (SAMPLES - 1);
      return logs ? lo * (hi / lo) ** t : lo + (hi - lo) * t;
    });
  };
  const xs = range(layout.x);
  const ys = range(layout.y);
  if (binding) return prepare(binding, xs, ys, frames).evaluate(binding.output, start);
  if (field) return field.fill(xs, ys, new Float64Array(xs.length * ys.length));
  return new Float64Array(0);
}

export function valueBounds(points: readonly Point[], z: Float64Array): [number, number] {
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  const take = (v: number): void => {
    if (!Number.isFinite(v)) return;
    lo = Math.min(lo, v);
    hi = Math.max(hi, v);
  };
  for (const p of points) {
    take(p.mean - (p.half ?? 0));
    take(p.mean + (p.half ?? 0));
  }
  for (const v of z) take(v);
  if (!(hi >= lo)) return [0, 1];
  if (hi - lo < 1e-9 * Math.max(Math.abs(hi), 1)) {
    const room = Math.abs(hi) * 0.05 || 1;
    return [lo >= 0 ? Math.max(0, lo - room) : lo - room, hi + room];
  }
  const room = Math.min((hi - lo) * 0.02, lo > 0 ? lo * 0.02 : Number.POSITIVE_INFINITY);
  return [lo >= 0 ? Math.max(0, lo - room) : lo - room, hi + room];
}

/** The bounds, wide enough for what is drawn now: they give way in round steps, and only when something is well beyond them. */
export function widened(bounds: readonly [number, number], lo: number, hi: number): readonly [number, number] {
  const span = bounds[1] - bounds[0];
  if (!(lo < bounds[0] - 0.15 * span) && !(hi > bounds[1] + 0.15 * span)) return bounds;
  const step = niceStep((Math.max(hi, bounds[1]) - Math.min(lo, bounds[0])) / 4);
  return [
    lo < bounds[0] - 0.15 * span ? Math.floor(lo / step) * step : bounds[0],
    hi > bounds[1] + 0.15 * span ? Math.ceil(hi / step) * step : bounds[1],
  ];
}
