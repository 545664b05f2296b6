// SPDX-License-Identifier: Apache-2.0
// How far each replicate lies from the mean of its cell, cell by cell. No DOM.
import type { Kind, ReplicatedCell } from '../../api/types';
import { brief } from '../../plots/number';
import { linear, niceStep, niceTicks } from '../../plots/scale';
import { AXIS, END, HALO, line, mark, NOTE, rect, type Shape, TICK, text } from '../../plots/shapes';
import { isBareMean } from './messages';

const LEFT = 52;
const HEAD = 26;
const PLOT = 220;
const FOOT = 26;
export const HEIGHT = HEAD + PLOT + FOOT;
const MOST_LABELS = 6;
/** Pixels of the word “outlier”. */
const WORD = 38;

export const deviation = (value: number, mean: number): number => (100 * (value - mean)) / Math.abs(mean);

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly outlying: boolean;
}

/** The word beside the farthest outliers, where it covers neither a mark nor another word; the ring says it of all. */
function outlierWords(marks: readonly Dot[], middle: number, right: number): Shape[] {
  const farthest = marks
    .filter(({ outlying }) => outlying)
    .sort((a, b) => Math.abs(b.y - middle) - Math.abs(a.y - middle));
  const words: { readonly x: number; readonly y: number; readonly shape: Shape }[] = [];
  for (const dot of farthest) {
    if (words.length === MOST_LABELS) break;
    for (const side of [1, -1]) {
      const x = dot.x + side * (8 + WORD / 2);
      if (x + WORD / 2 > right || x - WORD / 2 < LEFT) continue;
      const covers = (other: Pick<Dot, 'x' | 'y'>, reach: number, height: number): boolean =>
        Math.abs(other.x - x) < reach && Math.abs(other.y - dot.y) < height;
      if (marks.some((other) => covers(other, WORD / 2 + 3, 9)) || words.some((other) => covers(other, WORD + 4, 14)))
        continue;
      const anchor = side > 0 ? {} : END;
      words.push({
        x,
        y: dot.y,
        shape: text(dot.x + side * 8, dot.y + 4, 'outlier', { ...NOTE, fill: 'var(--warn)', ...HALO, ...anchor }),
      });
      break;
    }
  }
  return words.map(({ shape }) => shape);
}

/** `wanted`: half width in percent that the plan asks for. */
export function spreadShapes(cells: readonly ReplicatedCell[], kind: Kind, wanted: number, width: number): Shape[] {
  const shown = cells.filter((cell) => cell.summary.mean !== 0 && !isBareMean(cell));
  if (shown.length === 0) return [];
  const right = width - 8;
  const each = (right - LEFT) / shown.length;
  const away = shown.flatMap(({ summary, replicates }) =>
    replicates.map(({ value }) => Math.abs(deviation(value, summary.mean))),
  );
  const halves = shown.flatMap(({ summary }) =>
    summary.ci95 ? [Math.abs(deviation(summary.ci95[1], summary.mean))] : [],
  );
  const most = Math.max(...away, ...halves) || wanted;
  const step = niceStep(most / 2);
  const bound = Math.ceil((most * 1.05) / step) * step;
  const y = linear([-bound, bound], [HEAD + PLOT, HEAD]);
  const band = Math.min(wanted, bound);
  const colour = `var(--kind-${kind})`;
  const radius = Math.max(1.4, Math.min(3, each / 4));
  const shapes: Shape[] = [
    text(0, 12, 'Each run against the mean of its cell, %', { ...AXIS, 'font-weight': 600, fill: 'var(--ink)' }),
    rect(LEFT, y(band), right - LEFT, y(-band) - y(band), { fill: 'var(--ground-3)' }),
    ...niceTicks(-bound, bound, 5).flatMap((v) => [
      line(LEFT, y(v), right, y(v), { stroke: v === 0 ? 'var(--line-3)' : 'var(--line)' }),
      text(LEFT - 8, y(v) + 4, `${v > 0 ? '+' : ''}${brief(v)}`, { ...TICK, ...END }),
    ]),
  ];
  const marks: Dot[] = [];
  shown.forEach(({ summary, replicates }, k) => {
    const x = LEFT + (k + 0.5) * each;
    if (summary.ci95) {
      const half = deviation(summary.ci95[1], summary.mean);
      const arm = Math.max(1.5, each * 0.36);
      shapes.push(rect(x - arm, y(half), 2 * arm, y(-half) - y(half), { fill: 'none', stroke: 'var(--line-3)' }));
    }
    for (const { value, outlying, n } of replicates) {
      const at = y(deviation(value, summary.mean));
      marks.push({ x, y: at, outlying });
      shapes.push({
        ...mark(kind, x, at, radius, {
          fill: n > 1 || kind === 'simulated' || outlying ? 'var(--ground)' : colour,
          stroke: outlying ? 'var(--warn)' : colour,
          'stroke-width': outlying ? 2 : 1,
        }),
        title: `${brief(value)}; its cell ${brief(summary.mean)}${summary.ci95 ? `, 95 % ${brief(summary.ci95[0])} to ${brief(summary.ci95[1])}` : ''}, n = ${summary.n}`,
      });
    }
  });
  shapes.push(...outlierWords(marks, y(0), right));
  shapes.push(text(LEFT, HEAD + PLOT + 18, 'cells, in the order of the table', NOTE));
  shapes.push(
    text(
      right,
      HEAD + PLOT + 18,
      wanted > bound ? `the wanted ±${brief(wanted)} % is wider than this` : `band: the wanted ±${brief(wanted)} %`,
      { ...NOTE, ...END },
    ),
  );
  return shapes;
}
