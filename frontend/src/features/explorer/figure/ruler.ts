// SPDX-License-Identifier: Apache-2.0
// A slider as a ruler: whisker = 95 % interval, square = fit, crosshair = now.
import { decimal, digitsOfStep } from '../../../plots/number';
import { linear, log, niceStep } from '../../../plots/scale';
import {
  END,
  gathered,
  hundredths,
  LETTER_PX,
  line,
  MIDDLE,
  rect,
  type Shape,
  TICK,
  text,
  tick,
} from '../../../plots/shapes';
import type { Slider } from '../../../state/fit';

export const RULER_HEIGHT = 32;
const BASE = 15;

interface Ticks {
  readonly ticks: readonly { readonly value: number; readonly strong: boolean }[];
  readonly digits: number;
}

function evenly(lo: number, hi: number): Ticks {
  const major = niceStep((hi - lo) / 4);
  const minor = niceStep((hi - lo) / 22);
  const ticks: { value: number; strong: boolean }[] = [];
  for (let k = Math.ceil(lo / minor - 1e-6); k <= Math.floor(hi / minor + 1e-6); k++) {
    const value = k * minor;
    ticks.push({ value, strong: Math.abs(value / major - Math.round(value / major)) < 1e-6 });
  }
  return { ticks, digits: digitsOfStep(major) };
}

/** Every unit of a decade is marked, the decade itself is named. */
function decades(lo: number, hi: number): Ticks {
  const ticks: { value: number; strong: boolean }[] = [];
  const named = Math.log10(hi / lo) < 2.5 ? [1, 2, 5] : [1];
  for (let e = Math.floor(Math.log10(lo)); e <= Math.log10(hi); e++)
    for (let k = 1; k < 10; k++) {
      const value = k * 10 ** e;
      if (value >= lo * 0.999 && value <= hi * 1.001) ticks.push({ value, strong: named.includes(k) });
    }
  return { ticks, digits: Math.max(0, -Math.floor(Math.log10(lo) + 1e-9)) };
}

/** What a ruler shows. */
type Ruled = Pick<Slider, 'lo' | 'hi' | 'start' | 'interval' | 'condition' | 'spacing'>;

const across = ({ lo, hi, spacing }: Ruled, width: number) => (spacing === 'log' ? log : linear)([lo, hi], [0, width]);

const within = (ruled: Ruled, width: number) => {
  const x = across(ruled, width);
  return (v: number): number => Math.max(0, Math.min(width, x(v)));
};

/** What stands still while the value moves. */
export function rulerScale(ruled: Ruled, width: number): Shape[] {
  const { lo, hi, start, interval } = ruled;
  const x = across(ruled, width);
  const inside = within(ruled, width);
  const marks: Shape[] = [];
  const out: Shape[] = [];
  let free = Number.NEGATIVE_INFINITY;
  const { ticks, digits } = ruled.spacing === 'log' ? decades(lo, hi) : evenly(lo, hi);
  for (const { value: v, strong } of ticks) {
    marks.push(tick(x(v), BASE, x(v), BASE + (strong ? 6 : 3), { stroke: strong ? 'var(--line-3)' : 'var(--line-2)' }));
    if (!strong) continue;
    const X = x(v);
    const words = decimal(v, digits);
    const room = words.length * LETTER_PX.name;
    const anchor = X < room / 2 ? { 'text-anchor': 'start' } : X > width - room / 2 ? END : MIDDLE;
    const from = anchor === MIDDLE ? X - room / 2 : anchor === END ? X - room : X;
    if (from < free) continue;
    free = from + room + 6;
    out.push(text(X, BASE + 17, words, { ...anchor, ...TICK }));
  }
  const base = line(0, BASE, width, BASE, { stroke: 'var(--line-3)' });
  if (interval) {
    const [a, b] = [inside(interval[0]), inside(interval[1])];
    const ink = { stroke: 'var(--ink)', 'stroke-width': 1.5 };
    out.push(line(a, BASE - 4.5, b, BASE - 4.5, { ...ink, 'stroke-dasharray': ruled.condition ? '3 2' : 'none' }));
    for (const e of [a, b]) marks.push(tick(e, BASE - 7.5, e, BASE - 1.5, ink));
  }
  out.push(
    rect(inside(start) - 2.5, BASE - 7, 5, 5, { fill: 'var(--ground)', stroke: 'var(--ink)', 'stroke-width': 1.5 }),
  );
  return [...gathered(marks), base, ...out];
}

/** The value. A polygon, because a path's outline counts as style: where it changes, a browser styles the page again. */
export function rulerHand(ruled: Ruled, value: number, width: number): Shape[] {
  const X = hundredths(within(ruled, width)(value));
  const points = `${X - 5},0 ${X + 5},0 ${X + 5},3 ${X},8 ${X - 5},3`;
  return [
    {
      tag: 'polygon',
      attributes: { points, fill: 'var(--crosshair)', stroke: 'var(--ground)', 'stroke-width': 1 },
    },
    line(X, 6, X, BASE + 6, { stroke: 'var(--crosshair)', 'stroke-width': 1.5 }),
  ];
}

export const rulerShapes = (ruled: Ruled, value: number, width: number): Shape[] => [
  ...rulerScale(ruled, width),
  ...rulerHand(ruled, value, width),
];
