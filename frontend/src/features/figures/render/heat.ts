// SPDX-License-Identifier: Apache-2.0
// A model over two of its inputs: colours on a canvas, contours and cells above them.
import { contourLines } from '../../../plots/contours';
import { brief } from '../../../plots/number';
import {
  CONTOUR,
  END,
  LETTER_PX,
  line,
  mark,
  NOTE,
  path,
  polyline,
  rect,
  type Shape,
  TEXT,
  text,
} from '../../../plots/shapes';
import { inkOn, tide } from '../../../plots/tide';
import type { Catalogue } from '../../../state/models';
import type { HeatPanel } from '../definition';
import { type CellsBySlug, chosen, halfOf, predictor, rowOf, termOf } from '../evaluate';
import { quantitiesOn } from '../quantities';
import { samplesOf } from '../resolve';
import { axisShapes, axisTitle, type Frame, frameOf, type Size } from './axes';
import { markText } from './markText';

export const GRID = 96;

interface HeatMark {
  readonly x: number;
  readonly y: number;
  readonly value: number;
  readonly kind: 'published' | 'emulated';
  readonly half: number | null;
  /** Runs; absent where nobody says. */
  readonly n?: number;
}

/** The surface, row 0 at the bottom. */
export function surfaceOf(panel: HeatPanel, catalogue: Catalogue): Float64Array {
  const predict = predictor(catalogue, panel.model);
  const xs = samplesOf(panel.x, GRID);
  const ys = samplesOf(panel.y, GRID);
  const z = new Float64Array(GRID * GRID);
  ys.forEach((y, j) => {
    xs.forEach((x, i) => {
      z[j * GRID + i] = predict({ [panel.model.across]: x, [panel.model.up]: y });
    });
  });
  return z;
}

export function heatMarks(panel: HeatPanel, data: CellsBySlug): HeatMark[] {
  return panel.marks.flatMap(({ cells, x, y, value }) =>
    (chosen(data, cells) ?? []).map((cell) => {
      const row = rowOf(cell);
      return {
        x: termOf(x, row),
        y: termOf(y, row),
        value: termOf(value, row),
        kind: cells.kind,
        half: halfOf(value, cell),
        ...(cells.kind === 'emulated' && { n: cell.runs }),
      };
    }),
  );
}

export function heatFrame(panel: HeatPanel, size: Size): Frame {
  return frameOf(panel.x, panel.y, size, []);
}

/** Where a value stands between the ends of the colours; they are logarithmic. */
const share = (value: number, [lo, hi]: readonly [number, number]): number => Math.log(value / lo) / Math.log(hi / lo);

function contourShapes(panel: HeatPanel, z: Float64Array, marks: readonly HeatMark[], frame: Frame): Shape[] {
  const { left, right, top, bottom, small } = frame;
  const X = (g: number): number => left + (g / (GRID - 1)) * (right - left);
  const Y = (g: number): number => bottom - (g / (GRID - 1)) * (bottom - top);
  const lines: Shape[] = [];
  const labels: Shape[] = [];
  const taken: (readonly [number, number])[] = [];
  panel.contours.forEach((level) => {
    const colour = tide(share(level, panel.value.domain));
    const ink = inkOn(colour);
    for (const points of contourLines(z, GRID, GRID, level)) {
      const xs = points.map((p) => X(p[0]));
      const ys = points.map((p) => Y(p[1]));
      lines.push(path(polyline(xs, ys), { stroke: ink, 'stroke-opacity': 0.5, 'stroke-width': 1 }));
      if (small) continue;
      // along the diagonal, where there is most room between them
      const free = points
        .map((_, i) => i)
        .filter((i) => xs[i] > left + 20 && xs[i] < right - 22 && ys[i] > top + 12 && ys[i] < bottom - 12)
        .filter((i) => marks.every((m) => Math.abs(frame.x(m.x) - xs[i]) > 22 || Math.abs(frame.y(m.y) - ys[i]) > 13))
        .filter((i) => taken.every(([x, y]) => Math.abs(x - xs[i]) > 26 || Math.abs(y - ys[i]) > 12));
      const off = (i: number): number =>
        Math.abs((bottom - ys[i]) / (bottom - top) - 0.85 * ((xs[i] - left) / (right - left)) - 0.05);
      const at = free.reduce((best, i) => (best < 0 || off(i) < off(best) ? i : best), -1);
      if (at < 0) continue;
      taken.push([xs[at], ys[at]]);
      labels.push(text(xs[at], ys[at], brief(level, 4), { ...CONTOUR, fill: ink, stroke: colour }));
    }
  });
  return [...lines, ...labels];
}

export function heatShapes(panel: HeatPanel, z: Float64Array, marks: readonly HeatMark[], size: Size): Shape[] {
  const frame = heatFrame(panel, size);
  const { left, right, top, bottom, small } = frame;
  const out = contourShapes(panel, z, marks, frame);
  if (panel.rules) {
    const white = { stroke: 'var(--on-dark)', 'stroke-opacity': 0.75, 'stroke-dasharray': '3 3' };
    const [X, Y] = [frame.x(panel.rules.x), frame.y(panel.rules.y)];
    out.push(line(X, top, X, bottom, white), line(left, Y, right, Y, white));
    if (!small)
      out.push(
        text(right - 8, top + 16, panel.rules.words, {
          ...END,
          'font-size': TEXT.label,
          'font-weight': 500,
          fill: 'var(--on-dark)',
        }),
      );
  }
  out.push(rect(left, top, right - left, bottom - top, { fill: 'none', stroke: 'var(--surface-edge)' }));
  for (const m of marks) {
    const [X, Y] = [frame.x(m.x), frame.y(m.y)];
    if (X < left || X > right || Y < top || Y > bottom) continue;
    const r = small ? 1.75 : 3.5;
    out.push(mark(m.kind, X, Y, r + 1.25, { fill: 'var(--on-dark)' }));
    out.push({
      ...mark(m.kind, X, Y, r, {
        fill: tide(share(m.value, panel.value.domain)),
        stroke: 'var(--on-bright)',
        'stroke-width': 1,
      }),
      title: `${m.kind}, at ${brief(m.x, 5)} and ${brief(m.y, 5)}: ${markText(m.value, m.half, m.n)}`,
    });
  }
  out.push(...axisShapes(panel.x, panel.y, frame, quantitiesOn(panel)));
  if (!small) {
    const words = `colour: ${panel.value.label.replace(/^S/, 's')}, ${panel.value.unit}, log scale`;
    // beside the title of the axis, or below it
    const fits = (axisTitle(panel.y).length + 2 + words.length) * LETTER_PX.sentence <= right;
    out.push(text(right, fits ? 12 : 26, words, { ...NOTE, ...END }));
  }
  return out;
}
