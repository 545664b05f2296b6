// SPDX-License-Identifier: Apache-2.0
// Bars: one a row, its value above it, its kind as its fill: full for published, outlined for a model.
import { brief } from '../../../plots/number';
import { line, MIDDLE, rect, type Shape, TEXT, TICK, text } from '../../../plots/shapes';
import type { BarsPanel, MarkKind } from '../definition';
import { quantitiesOn } from '../quantities';
import { frameOf, gridShapes, type Size, tickWords, titleShapes } from './axes';
import { markText } from './markText';

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly half: number | null;
  /** Runs; absent where nobody says. */
  readonly n?: number;
}

const FILL: Readonly<Record<MarkKind, Record<string, string | number>>> = {
  published: { fill: 'var(--kind-published)' },
  emulated: { fill: 'var(--kind-emulated)' },
  model: { fill: 'var(--ground-3)', stroke: 'var(--ink-2)', 'stroke-width': 1.25 },
};

export function barsShapes(panel: BarsPanel, bars: readonly Bar[], kind: MarkKind, size: Size): Shape[] {
  const across = {
    label: '',
    unit: '',
    spacing: 'linear' as const,
    domain: [0, Math.max(1, bars.length)] as const,
    ticks: [],
  };
  const frame = frameOf(across, panel.y, size, []);
  const { left, right, bottom, small } = frame;
  const slot = (right - left) / Math.max(1, bars.length);
  const width = Math.min(56, slot * 0.62);
  const out = gridShapes(frame);
  for (const v of frame.yTicks)
    out.push(text(left - (small ? 5 : 8), frame.y(v), tickWords(v), { dy: '0.32em', 'text-anchor': 'end', ...TICK }));
  bars.forEach(({ name, value, half, n }, i) => {
    const middle = left + (i + 0.5) * slot;
    const top = frame.y(value);
    out.push({
      ...rect(middle - width / 2, top, width, bottom - top, FILL[kind]),
      title: `${name}, ${kind}: ${markText(value, half, n)}`,
    });
    out.push(text(middle, bottom + (small ? 15 : 17), name, { ...MIDDLE, ...TICK }));
    if (!small)
      out.push(text(middle, top - 6, brief(value, 3), { ...MIDDLE, 'font-size': TEXT.label, fill: 'var(--ink)' }));
  });
  out.push(line(left, bottom, right, bottom, { stroke: 'var(--line-3)' }));
  return [...out, ...titleShapes({ ...across, ...panel.x }, panel.y, frame, quantitiesOn(panel))];
}
