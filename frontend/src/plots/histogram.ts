// SPDX-License-Identifier: Apache-2.0
// Latencies by how often they occurred, over a logarithmic axis. No DOM.
import { brief } from './number';
import { decadeTicks, linear, log, niceStep, niceTicks } from './scale';
import { AXIS, END, line, MIDDLE, NOTE, rect, type Shape, TICK, text } from './shapes';

export interface Histogram {
  readonly lower_us: readonly number[];
  readonly upper_us: readonly number[];
  readonly counts: readonly number[];
}

interface Bin {
  readonly from: number;
  readonly to: number;
  /** Percent of all. */
  readonly share: number;
}

const LEFT = 60;
const HEAD = 44;
const PLOT = 140;
const FOOT = 40;
const LEAST_US = 1e-3;
const LABEL = 34;
export const HEIGHT = HEAD + PLOT + FOOT;

/** The same counts in bins of one width on the logarithmic axis; a bucket over several is shared out among them. */
export function binsOf({ lower_us, upper_us, counts }: Histogram, most: number): Bin[] {
  const total = counts.reduce((sum, n) => sum + n, 0);
  if (total === 0) return [];
  const at = (us: number): number => Math.log(Math.max(us, LEAST_US));
  const lo = at(Math.min(...lower_us));
  const hi = Math.max(at(Math.max(...upper_us)), lo + 1e-6);
  const width = (hi - lo) / most;
  const shares = new Array<number>(most).fill(0);
  counts.forEach((n, k) => {
    const [from, to] = [at(lower_us[k]), Math.max(at(upper_us[k]), at(lower_us[k]) + 1e-9)];
    const first = Math.min(most - 1, Math.floor((from - lo) / width));
    const last = Math.min(most - 1, Math.floor((to - lo) / width));
    for (let b = first; b <= last; b++) {
      const overlap = Math.min(to, lo + (b + 1) * width) - Math.max(from, lo + b * width);
      shares[b] += (n * Math.max(0, first === last ? to - from : overlap)) / (to - from);
    }
  });
  return shares.map((n, b) => ({
    from: Math.exp(lo + b * width),
    to: Math.exp(lo + (b + 1) * width),
    share: (100 * n) / total,
  }));
}

/** Bars, and the quantiles that the workload named, as lines. */
export function histogramShapes(
  histogram: Histogram,
  quantiles: readonly (readonly [string, number])[],
  width: number,
): Shape[] {
  const right = width - 24;
  const bins = binsOf(histogram, Math.max(12, Math.min(80, Math.floor((right - LEFT) / 7))));
  if (bins.length === 0) return [];
  const [lo, hi] = [bins[0].from, bins[bins.length - 1].to];
  const x = log([lo, hi], [LEFT, right]);
  const most = Math.max(...bins.map(({ share }) => share));
  const step = niceStep(most / 3);
  const top = Math.ceil(most / step) * step;
  const y = linear([0, top], [HEAD + PLOT, HEAD]);
  let taken = Number.NEGATIVE_INFINITY;
  return [
    text(0, 12, 'Requests, % of all', { ...AXIS, 'font-weight': 600, fill: 'var(--ink)' }),
    ...niceTicks(0, top, 3).flatMap((value) => [
      line(LEFT, y(value), right, y(value), { stroke: value === 0 ? 'var(--line-3)' : 'var(--line)' }),
      text(LEFT - 8, y(value) + 4, brief(value), { ...TICK, ...END }),
    ]),
    ...bins
      .filter(({ share }) => share > 0)
      .map(({ from, to, share }) =>
        rect(x(from), y(share), x(to) - x(from) - 1, y(0) - y(share), { fill: 'var(--ink-3)' }),
      ),
    ...quantiles
      .filter(([, us]) => us >= lo && us <= hi)
      .sort((a, b) => a[1] - b[1])
      .flatMap(([name, us]) => {
        const stem = line(x(us), HEAD - 4, x(us), HEAD + PLOT, { stroke: 'var(--ink)', 'stroke-dasharray': '2 2' });
        if (x(us) - taken < LABEL) return [stem];
        taken = x(us);
        return [stem, text(x(us), HEAD - 8, name, { ...NOTE, ...MIDDLE, fill: 'var(--ink)' })];
      }),
    ...ticksApart(lo, hi, x).flatMap((us) => [
      line(x(us), HEAD + PLOT, x(us), HEAD + PLOT + 4, { stroke: 'var(--line-3)' }),
      text(x(us), HEAD + PLOT + 17, brief(us), { ...TICK, ...MIDDLE }),
    ]),
    text(right, HEAD + PLOT + 34, 'latency, µs', { ...AXIS, ...END, 'data-quantity': 'latency_us' }),
  ];
}

function ticksApart(lo: number, hi: number, x: (v: number) => number): number[] {
  let taken = Number.NEGATIVE_INFINITY;
  const candidates = hi / lo > 2.5 ? decadeTicks(lo, hi) : niceTicks(lo, hi, 5);
  return candidates.filter((us) => {
    if (x(us) - taken < LABEL + 8) return false;
    taken = x(us);
    return true;
  });
}
