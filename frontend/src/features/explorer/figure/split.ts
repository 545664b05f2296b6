// SPDX-License-Identifier: Apache-2.0
// The cost at the crosshair, split into what bytes, packets and interrupts cost.
import { decimal } from '../../../plots/number';
import { linear } from '../../../plots/scale';
import { NOTE, path, rect, type Shape, TEXT, text } from '../../../plots/shapes';

export const SPLIT_HEIGHT = 92;
const PARTS = ['byte', 'packet', 'interrupt'] as const;
const NAMES = ['bytes', 'packets', 'interrupts'];

export interface Split {
  readonly total: number;
  readonly parts: readonly number[];
}

interface Stretch {
  readonly from: number;
  readonly size: number;
  readonly taken: boolean;
}

/** Costs stand one after the other; a negative one, which a fit of few cells can give, is taken off their end. */
export function stretches({ parts }: Split): Stretch[] {
  let at = 0;
  let end = parts.reduce((sum, v) => sum + Math.max(0, v), 0);
  return parts.map((v) => {
    const from = v < 0 ? end + v : at;
    if (v < 0) end = from;
    else at += v;
    return { from: Math.max(0, from), size: Math.abs(v), taken: v < 0 };
  });
}

const reach = ({ parts, total }: Split): number => parts.reduce((sum, v) => sum + Math.max(0, v), 0) || total;

function bar(split: Split, x: (v: number) => number, y: number, height: number): Shape[] {
  const shapes = stretches(split).map(({ from, size, taken }, i) => {
    const ink = `var(--cost-${PARTS[i]})`;
    const fill: Record<string, string> = taken ? { fill: 'var(--ground)', stroke: ink } : { fill: ink };
    return { taken, shape: rect(x(from), y, Math.max(0, x(size) - 1), height, fill) };
  });
  // what is taken off lies over what it is taken from
  return shapes.sort((a, b) => Number(a.taken) - Number(b.taken)).map(({ shape }) => shape);
}

export function splitShapes(now: Split, reference: Split, label: string, digits: number, width: number): Shape[] {
  const x = linear([0, Math.max(reach(reference), reach(now), 1e-12)], [0, width]);
  const middle = stretches(now).map(({ from, size }) => x(from + size / 2));
  const columns = [
    0,
    Math.max(width * 0.38, Math.min(middle[1] - 30, width - 168)),
    Math.max(width * 0.7, Math.min(middle[2] - 34, width - 78)),
  ];
  const out = bar(now, x, 0, 20);
  now.parts.forEach((v, i) => {
    const from = i === 0 ? 4 : middle[i];
    const r = (n: number): number => Math.round(n * 10) / 10;
    out.push(
      path(i === 0 ? `M${r(from)} 20v4` : `M${r(from)} 20v4L${r(columns[i] + 6)} 30`, { stroke: 'var(--line-3)' }),
    );
    const named = { 'font-size': TEXT.label, fill: 'var(--ink-2)', 'data-quantity': `${PARTS[i]}_cost_per_gb` };
    out.push(text(columns[i], 42, NAMES[i], named));
    out.push({
      tag: 'text',
      attributes: { x: r(columns[i]), y: 58, 'font-size': TEXT.name, 'font-weight': 600, fill: 'var(--ink)' },
      spans: [
        { text: decimal(v, digits) },
        {
          text: `${decimal((100 * v) / now.total, 0)} %`,
          attributes: { dx: 5, 'font-weight': 400, 'font-size': TEXT.label, fill: 'var(--ink-3)' },
        },
      ],
    });
  });
  out.push(...bar(reference, x, 70, 5));
  out.push(text(0, SPLIT_HEIGHT - 3, label, NOTE));
  return out;
}
