// SPDX-License-Identifier: Apache-2.0
// From values to pixels and back: straight, logarithmic, and logarithmic with a place for zero.
import { tickStep, ticks } from 'd3-array';

export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
}

type Pair = readonly [number, number];

/** Exact at both ends; in the middle where the ends are one. */
function between([from, to]: Pair, [first, last]: Pair): (v: number) => number {
  const span = to - from;
  return (v) => {
    const t = span === 0 ? 0.5 : (v - from) / span;
    return first * (1 - t) + last * t;
  };
}

export const linear = (domain: Pair, range: Pair): Scale =>
  Object.assign(between(domain, range), { invert: between(range, domain) });

export function log(domain: Pair, range: Pair): Scale {
  const along = linear([Math.log(domain[0]), Math.log(domain[1])], range);
  return Object.assign((v: number) => along(Math.log(v)), { invert: (p: number) => Math.exp(along.invert(p)) });
}

/** Room between zero and the least positive setting of a logarithmic axis, in units of ln. */
const GAP = Math.log(3);

/** Logarithmic from `least` up, and straight from there down to zero, which has a place of its own. */
function logFromZero(least: number, domain: Pair, range: Pair): Scale {
  const at = Math.log(least);
  const forward = (v: number): number => (v >= least ? Math.log(v) : at - GAP + (GAP * v) / least);
  const back = (u: number): number => (u >= at ? Math.exp(u) : ((u - at + GAP) / GAP) * least);
  const along = linear([forward(domain[0]), forward(domain[1])], range);
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
  // below zero the straight part goes on: GAP of ln is `least` wide
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
  // a hair more room, so that an end that is a tick but for rounding is one
  const [from, to] = [lo * 0.999, hi * 1.001];
  const first = Math.floor(Math.log10(from));
  return Array.from({ length: Math.ceil(Math.log10(to)) - first + 1 }, (_, k) => k + first)
    .flatMap((k) => [1, 2, 5].map((digit) => (k < 0 ? digit / 10 ** -k : digit * 10 ** k)))
    .filter((v) => v >= from && v <= to);
}
