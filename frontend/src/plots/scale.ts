// SPDX-License-Identifier: Apache-2.0
// From values to pixels and back.

export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
}

type Pair = readonly [number, number];

function build(forward: (v: number) => number, back: (u: number) => number, domain: Pair, range: Pair): Scale {
  const [a, b] = [forward(domain[0]), forward(domain[1])];
  const k = b === a ? 0 : (range[1] - range[0]) / (b - a);
  const scale = ((v: number) => range[0] + k * (forward(v) - a)) as ((v: number) => number) & Record<string, unknown>;
  return Object.assign(scale, { invert: (p: number) => back(k === 0 ? a : a + (p - range[0]) / k), domain, range });
}

const same = (v: number): number => v;

export const linear = (domain: Pair, range: Pair): Scale => build(same, same, domain, range);
export const log = (domain: Pair, range: Pair): Scale => build(Math.log, Math.exp, domain, range);

/** Room between nought and the least positive setting of a logarithmic axis, in units of ln. */
const GAP = Math.log(3);

/** Logarithmic from `least` up, and straight from there down to nought, which has a place of its own. */
export function logFromZero(least: number, domain: Pair, range: Pair): Scale {
  const at = Math.log(least);
  const forward = (v: number): number => (v >= least ? Math.log(v) : at - GAP + (GAP * v) / least);
  const back = (u: number): number => (u >= at ? Math.exp(u) : ((u - at + GAP) / GAP) * least);
  return build(forward, back, domain, range);
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

/** 1, 2, 2.5 or 5 times a power of ten, the least that is not below `step`. */
export function niceStep(step: number): number {
  if (!(step > 0) || !Number.isFinite(step)) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  for (const k of [1, 2, 2.5, 5]) if (step <= k * power * (1 + 1e-9)) return k * power;
  return 10 * power;
}

/** 1, 2 and 5 times powers of ten within [lo, hi]. */
export function decadeTicks(lo: number, hi: number): number[] {
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++)
    for (const k of [1, 2, 5]) ticks.push(Number((k * 10 ** e).toPrecision(3)));
  return ticks.filter((v) => v >= lo * 0.999 && v <= hi * 1.001);
}

/** Round values within [lo, hi], at most about `count`. */
export function niceTicks(lo: number, hi: number, count: number): number[] {
  const step = niceStep((hi - lo) / count);
  const from = Math.ceil(lo / step - 1e-9);
  const to = Math.floor(hi / step + 1e-9);
  // multiply and round, do not add up: ticks stay exact
  const digits = Math.max(0, 2 - Math.floor(Math.log10(step)));
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) =>
    Number(((from + i) * step).toFixed(Math.min(digits, 12))),
  );
}
