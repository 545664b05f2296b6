// SPDX-License-Identifier: Apache-2.0
// A quantity as it was counted ever longer, beside the model's line. No DOM.
import { brief } from '../../plots/number';
import { decadeTicks, linear, log, niceStep, niceTicks, type Scale } from '../../plots/scale';
import { AXIS, END, HALO, LIVE, line, MIDDLE, NOTE, path, polyline, type Shape, TICK, text } from '../../plots/shapes';
import type { Line, Show } from './show';

export const CONVERGENCE_HEIGHT = 168;
const [TOP, BOTTOM, LEFT, RIGHT] = [30, 132, 40, 8];
const MOST = 240;

interface Convergence {
  readonly time: Scale;
  readonly value: Scale;
  readonly shapes: readonly Shape[];
}

export function convergenceOf(
  { until_us, first_us }: Pick<Show, 'until_us' | 'first_us'>,
  { name, counted: countedAt, said, words }: Line,
  label: string,
  width: number,
): Convergence {
  const predicted = said?.value;
  const start = Math.max(1, first_us);
  const time = log([start, Math.max(until_us, start * 2)], [LEFT, width - RIGHT]);
  const times = Array.from({ length: MOST }, (_, k) => start * (until_us / start) ** (k / (MOST - 1)));
  const counted = times.map(countedAt);
  const top = Math.max(1, predicted ?? 0, ...counted.filter(Number.isFinite));
  const step = niceStep((1.15 * top) / 3);
  const hi = Math.ceil((1.15 * top) / step) * step;
  const value = linear([0, hi], [BOTTOM, TOP]);
  const shapes: Shape[] = [
    text(0, 14, `${label}, counted so far`, {
      ...AXIS,
      'font-weight': 600,
      fill: 'var(--ink)',
      'data-quantity': name,
    }),
    ...niceTicks(0, hi, 3).flatMap((v) => [
      line(LEFT, value(v), width - RIGHT, value(v), { stroke: v === 0 ? 'var(--line-3)' : 'var(--line)' }),
      text(LEFT - 8, value(v) + 4, brief(v), { ...TICK, ...END }),
    ]),
    ...decadeTicks(start, until_us)
      .filter(
        (t) => Number.isInteger(Math.log10(t) + 1e-9 - ((Math.log10(t) + 1e-9) % 1)) && /^1/.test(t.toPrecision(1)),
      )
      .map((t) => text(time(t), BOTTOM + 16, brief(t), { ...TICK, ...MIDDLE })),
    text(width - RIGHT, BOTTOM + 32, 'simulated time, µs', { ...NOTE, ...END }),
    path(polyline(times.map(time), counted.map(value)), { stroke: 'var(--ink)', 'stroke-width': 1.5 }),
  ];
  if (predicted !== undefined) {
    const y = value(predicted);
    shapes.push(line(LEFT, y, width - RIGHT, y, { stroke: 'var(--ink-2)', 'stroke-dasharray': '5 3' }));
    shapes.push(text(width - RIGHT, y - 5, `model ${words(predicted)}`, { ...NOTE, ...END, ...HALO }));
  }
  return { time, value, shapes };
}

/** Where now is on it. */
export function nowOn({ time, value }: Convergence, of: Line, now_us: number, width: number): Shape[] {
  const x = Math.max(LEFT, Math.min(width - RIGHT, time(Math.max(now_us, 1e-3))));
  const counted = of.counted(now_us);
  const shapes = [line(x, TOP - 6, x, BOTTOM, { stroke: 'var(--crosshair)', 'stroke-width': 1.5 })];
  if (Number.isFinite(counted)) {
    const side = x > width / 2 ? { x: x - 6, style: END } : { x: x + 6, style: {} };
    shapes.push(
      text(side.x, Math.min(BOTTOM - 6, value(counted) + 16), of.words(counted), { ...LIVE, ...HALO, ...side.style }),
    );
  }
  return shapes;
}
