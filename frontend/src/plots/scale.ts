// SPDX-License-Identifier: Apache-2.0
// From values to pixels and back: d3's scales, and one that has a place for nought on a logarithmic axis.
import { tickStep, ticks } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';

/** What is used of d3's scales, and what every scale here has. */
export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
}

type Pair = readonly [number, number];

export const linear = (domain: Pair, range: Pair): Scale => scaleLinear(domain, range);
export const log = (domain: Pair, range: Pair): Scale => scaleLog(domain, range);

/** Room between nought and the least positive setting of a logarithmic axis, in units of ln. */
const GAP = Math.log(3);

/** Logarithmic from `least` up, and straight from there down to nought, which has a place of its own. */
export function logFromZero(least: number, domain: Pair, range: Pair): Scale {
  const at = Math.log(least);
  const forward = (v: number): number => (v >= least ? Math.log(v) : at - GAP + (GAP * v) / least);
  const back = (u: number): number => (u >= at ? Math.exp(u) : ((u - at + GAP) / GAP) * least);
  const along = scaleLinear([forward(domain[0]), forward(domain[1])], range);
  return Object.assign((v: number) => along(forward(v)), { invert: (p: number) => back(along.invert(p)) });
}

/** How an axis spaces its values. */
export type Spacing = 'linear' | 'log' | 'log-from-zero';

/** Delays and rates span decades: theirs is logarithmic as soon as the settings spread fourfold. */
export function spacingOf(levels: readonly number[], preferLog: boolean): Spacing {
  const positive = levels.filter((v) => v > 0);
  if (levels.some((v) => v < 0) || positive.length < 2) return 'linear';
  const spread = Math.max(...positive) / Math.min(...positive);
  if (spread < (preferLog ? 4 : 30)) return 'linear';
  return positive.length === levels.length ? 'log' : 'log-from-zero';
}

/** The values an axis shows: its settings and some room on both sides, so that no mark touches the frame. */
export function paddedDomain(levels: readonly number[], spacing: Spacing, share: number): Pair {
  const lo = Math.min(...levels);
  const hi = Math.max(...levels);
  if (spacing === 'linear') {
    const room = hi > lo ? (hi - lo) * share : Math.max(Math.abs(hi) * share, 1);
    return [lo - room, hi + room];
  }
  const least = Math.min(...levels.filter((v) => v > 0));
  const factor = Math.exp(share * (Math.log(hi / least) + (lo > 0 ? 0 : GAP)));
  // below nought the straight part goes on: GAP of ln is `least` wide
  return [lo > 0 ? lo / factor : (-Math.log(factor) / GAP) * least, hi * factor];
}

export function makeScale(levels: readonly number[], spacing: Spacing, domain: Pair, range: Pair): Scale {
  if (spacing === 'linear') return linear(domain, range);
  if (spacing === 'log') return log(domain, range);
  return logFromZero(Math.min(...levels.filter((v) => v > 0)), domain, range);
}

/** 1, 2 or 5 times a power of ten, near `step`. */
export const niceStep = (step: number): number => (step > 0 && Number.isFinite(step) ? tickStep(0, step, 1) : 1);

/** Round values within [lo, hi], about `count`. */
export const niceTicks = (lo: number, hi: number, count: number): number[] => ticks(lo, hi, count);

/** 1, 2 and 5 times powers of ten within [lo, hi]. */
export function decadeTicks(lo: number, hi: number): number[] {
  const leading = (v: number): number => Number((v / 10 ** Math.floor(Math.log10(v) + 1e-9)).toPrecision(6));
  // a hair more room, so that an end that is a tick but for rounding is one
  return scaleLog([lo * 0.999, hi * 1.001], [0, 1])
    .ticks()
    .filter((v) => [1, 2, 5].includes(leading(v)));
}
