// SPDX-License-Identifier: Apache-2.0
// The surface's marks: cells with their intervals, ties, hatching, contour labels. The surface itself is painted on a canvas below.
import type { Isoline } from '../../../plots/contours';
import { decimal, digitsOfStep } from '../../../plots/number';
import {
  circle,
  END,
  gathered,
  hundredths,
  line,
  MIDDLE,
  mark,
  moving,
  path,
  rect,
  type Shape,
  TICK,
  text,
} from '../../../plots/shapes';
import { inkOn, tide } from '../../../plots/tide';
import type { Point } from '../../../state/layout';
import type { View } from '../../../state/view';
import { type Frame, fraction, LONGEST_NAME } from './frame';
import { GRID } from './live';
import { cutShort, settingText } from './words';

/** Pixels of half an interval that is as long as the whole value scale. */
const WHISKER = 220;
const LONGEST = 20;

export const colourOf = (value: number, frame: Pick<Frame, 'values' | 'logValues'>): string =>
  tide(fraction(value, frame));

export function edges(levels: readonly number[], at: (v: number) => number, from: number, to: number): number[] {
  const px = levels.map(at);
  return [from, ...px.slice(1).map((p, i) => (p + px[i]) / 2), to];
}

/** Where the tiles of the cells meet: midway between settings, at the frame beyond the last. */
export function tileEdges(view: View, frame: Frame): readonly [number[], number[]] | null {
  const { x, y } = view.layout;
  const { heat, left, plotWidth } = frame;
  if (!x || !y || !heat || !frame.y) return null;
  return [edges(x.levels, frame.x, left, left + plotWidth), edges(y.levels, frame.y, heat.top + heat.height, heat.top)];
}

/** One tile a cell. */
function tiles(view: View, frame: Frame): Shape[] {
  const { x, y } = view.layout;
  const found = tileEdges(view, frame);
  if (!x || !y || !found) return [];
  const [ex, ey] = found;
  return view.points.map((p) => {
    const i = x.levels.indexOf(p.x);
    const j = y.levels.indexOf(p.y);
    return rect(ex[i], ey[j + 1], ex[i + 1] - ex[i] - 1, ey[j] - ey[j + 1] - 1, { fill: colourOf(p.mean, frame) });
  });
}

/** What lies on the canvas: hatching beyond the measured hull, or tiles; and a hairline round it. */
export function underCells(view: View, frame: Frame): Shape[] {
  const { heat, left, plotWidth } = frame;
  const { x, y } = view.layout;
  if (!heat || !x || !y || !frame.y) return [];
  const out: Shape[] = [];
  const painted = view.mode === 'model' || view.mode === 'interpolated';
  if (view.mode === 'cells') out.push(...tiles(view, frame));
  if (painted && view.measured && view.points.length > 0) {
    const xs = view.points.map((p) => frame.x(p.x));
    const ys = view.points.map((p) => (frame.y as Frame['x'])(p.y));
    // beyond a name lies nothing to extrapolate to
    const [x0, x1] = x.names ? [left, left + plotWidth] : [Math.min(...xs), Math.max(...xs)];
    const [y0, y1] = y.names ? [heat.top, heat.top + heat.height] : [Math.min(...ys), Math.max(...ys)];
    const d = `M${left} ${heat.top}h${plotWidth}v${heat.height}h${-plotWidth}ZM${x0} ${y0}V${y1}H${x1}V${y0}Z`;
    out.push(path(d, { fill: 'url(#hatch)', 'fill-rule': 'evenodd' }));
  }
  const edge = painted ? 'var(--surface-edge)' : 'var(--line)';
  out.push(rect(left + 0.5, heat.top + 0.5, plotWidth - 1, heat.height - 1, { fill: 'none', stroke: edge }));
  return out;
}

function whisker(p: Point, X: number, Y: number, r: number, longest: number, frame: Frame, ink: string): Shape[] {
  if (p.half === null) return [];
  const wanted = (fraction(p.mean + p.half, frame) - fraction(p.mean, frame)) * WHISKER * (frame.phone ? 0.7 : 1);
  const h = Math.min(wanted, longest);
  const dashes: Record<string, string | number> = p.from === 'residuals' ? { 'stroke-dasharray': '2 1.5' } : {};
  const out = [path(`M${X} ${Y - r - h}v${2 * (r + h)}`, { stroke: ink, 'stroke-width': 1.25, ...dashes })];
  // a whisker that is cut short has no caps
  if (wanted <= longest)
    out.push(path(`M${X - 3} ${Y - r - h}h6M${X - 3} ${Y + r + h}h6`, { stroke: ink, 'stroke-width': 1 }));
  return out;
}

/** Cells whose places are known and whose values are not yet. */
function designed(view: View, frame: Frame, yScale: Frame['x'], r: number): Shape[] {
  const { x, y } = view.layout;
  return (y?.levels ?? []).flatMap((level) =>
    (x?.levels ?? []).map((at) =>
      mark(view.kind ?? 'measured', frame.x(at), yScale(level), r, {
        fill: 'none',
        stroke: 'var(--line-3)',
        'stroke-width': 1,
      }),
    ),
  );
}

/** Settings that a sweep has yet to measure: hollow dots. */
function planned(view: View, frame: Frame, yScale: Frame['x'], r: number): Shape[] {
  return view.slice.toCome.flatMap(({ x, y }) => {
    const [X, Y] = [frame.x(x), yScale(y)];
    return [
      circle(X, Y, r, { fill: 'none', stroke: 'var(--ground)', 'stroke-width': 3 }),
      circle(X, Y, r, { fill: 'none', stroke: 'var(--ink-2)', 'stroke-width': 1.25, 'stroke-dasharray': '2 1.5' }),
    ];
  });
}

/** Half the square round the recommended setting, and its word. */
const SQUARE = 9.5;
const WORD = { halfWidth: 39, height: 16 };

interface Recommended {
  readonly X: number;
  readonly Y: number;
  /** Of the word: its middle and its upper edge. */
  readonly at: number;
  readonly top: number;
}

function recommendedAt({ best }: View, frame: Frame, yScale: Frame['x']): Recommended | null {
  if (!best || !frame.heat) return null;
  const [X, Y] = [frame.x(best.x), yScale(best.y)];
  const below = Y - SQUARE - 22 < frame.heat.top;
  const top = below ? Y + SQUARE + 4 : Y - SQUARE - 20;
  // the word stays within the picture
  const at = Math.max(frame.left + 40, Math.min(frame.left + frame.plotWidth - 40, X));
  return { X, Y, at, top };
}

/** The setting that is recommended wears a second square, and the word. */
function recommended(view: View, frame: Frame, yScale: Frame['x'], light: boolean): Shape[] {
  const found = recommendedAt(view, frame, yScale);
  if (!found) return [];
  const { X, Y, at, top } = found;
  const square = (stroke: string, width: number): Shape =>
    rect(X - SQUARE, Y - SQUARE, 2 * SQUARE, 2 * SQUARE, { fill: 'none', stroke, 'stroke-width': width });
  return [
    ...(light ? [square('#101413', 3.5), square('#fff', 1.75)] : [square('var(--ink)', 1.5)]),
    rect(at - WORD.halfWidth, top, 2 * WORD.halfWidth, WORD.height, { rx: 2, fill: 'var(--ground)' }),
    text(at, top + 12, 'recommended', { ...MIDDLE, 'font-size': 11, 'font-weight': 500, fill: 'var(--ink)' }),
  ];
}

/** Ties, then whiskers and marks. A mark wears the colour of its own value. */
export function cells(view: View, frame: Frame): Shape[] {
  const yScale = frame.y;
  if (!yScale) return [];
  const r = frame.phone ? 3.5 : view.points.length > 150 ? 3 : 4.5;
  const painted = view.mode === 'model' || view.mode === 'interpolated';
  const at = (p: Point): [number, number] => [hundredths(frame.x(p.x)), hundredths(yScale(p.y))];
  // whiskers of neighbouring rows never meet
  const rows = (view.layout.y?.levels ?? []).map(yScale);
  const apart = Math.min(...rows.slice(1).map((row, i) => rows[i] - row), 1000);
  const longest = Math.max(1, Math.min(LONGEST, apart / 2 - r - 2));
  const kind = view.kind ?? 'measured';
  const toCome = planned(view, frame, yScale, r);
  if (view.points.length === 0 && view.measured) return toCome.length > 0 ? toCome : designed(view, frame, yScale, r);
  const light = painted || view.mode === 'cells';
  const joined = view.ties.map(([a, b]) => {
    const [[x1, y1], [x2, y2]] = [at(a), at(b)];
    return line(
      x1,
      y1,
      x2,
      y2,
      light
        ? { stroke: '#fff', 'stroke-width': 2, 'stroke-opacity': 0.5 }
        : { stroke: 'var(--line-2)', 'stroke-width': 2 },
    );
  });
  const marks = view.points.flatMap((p): Shape[] => {
    const [X, Y] = at(p);
    const own = colourOf(p.mean, frame);
    const ink = light ? inkOn(own) : 'var(--ink)';
    if (p.n === 1)
      return [
        mark(kind, X, Y, r + 0.75, { fill: 'none', stroke: '#101413', 'stroke-width': 3.5 }),
        mark(kind, X, Y, r + 0.75, { fill: own, stroke: '#fff', 'stroke-width': 1.75 }),
      ];
    return [
      ...whisker(p, X, Y, r, longest, frame, ink),
      mark(kind, X, Y, r + 1.5, { fill: '#fff' }),
      mark(kind, X, Y, r, { fill: own, stroke: '#101413', 'stroke-width': 1 }),
    ];
  });
  return [...joined, ...toCome, ...gathered(marks), ...recommended(view, frame, yScale, light)];
}

/** Settings of the upward axis. */
export function upwardAxis(view: View, frame: Frame): Shape[] {
  const { y } = view.layout;
  const scale = frame.y;
  if (!y || !scale) return [];
  let last = Number.POSITIVE_INFINITY;
  return y.levels.flatMap((level) => {
    const Y = scale(level);
    const tick = line(frame.left - 5, Y, frame.left, Y, { stroke: 'var(--line-3)' });
    if (last - Y < 13) return [tick];
    last = Y;
    return [
      tick,
      text(frame.left - 8, Y, cutShort(settingText(y, level), LONGEST_NAME), { dy: '0.32em', ...END, ...TICK }),
    ];
  });
}

interface Spot {
  x: number;
  y: number;
  angle: number;
  score: number;
}

export interface Clear {
  readonly x: number;
  readonly y: number;
}

/** Pixels of a digit of a contour's label. */
const DIGIT = 6.6;

const CONTOUR = {
  'text-anchor': 'middle',
  dy: '0.35em',
  'font-size': 11,
  'font-weight': 500,
  'stroke-width': 5,
  'paint-order': 'stroke',
  'stroke-linejoin': 'round',
} as const;

// for every other segment of every contour in every frame: no array is made, no root is taken
function nearest(places: readonly number[], at: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const place of places) least = Math.min(least, Math.abs(at - place));
  return least;
}

const isNear = ([a, b]: readonly [number, number], x: number, y: number, room: number): boolean =>
  (a - x) * (a - x) + (b - y) * (b - y) < room * room;

/**
 * Labels sit on their line, with a halo in the line's own colour: along a contour the ground does not change. They keep clear of cells, ties,
 * needle and the word at the recommended setting, and stand midway between rows, where the plot is emptiest.
 */
export function contourLabels(lines: readonly Isoline[], view: View, frame: Frame, needle: Clear): Shape[] {
  const { heat, left, plotWidth } = frame;
  const yScale = frame.y;
  if (!heat || !yScale || lines.length === 0) return [];
  const step = lines.length > 1 ? Math.min(...lines.slice(1).map((l, i) => l.level - lines[i].level)) : 1;
  const digits = digitsOfStep(step);
  const rows = (view.layout.y?.levels ?? []).map(yScale);
  const spines = rows.length > 1 ? rows.slice(1).map((y, i) => (y + rows[i]) / 2) : [heat.top + heat.height / 2];
  const taken: [number, number][] = view.points.map((p) => [frame.x(p.x), yScale(p.y)]);
  const tied = view.ties.map(([a, b]) => [frame.x(a.x), yScale(a.y), frame.x(b.x), yScale(b.y)] as const);
  const gap = frame.phone ? 22 : 36;
  // of two labels, however they are turned
  const length = Math.max(...lines.map(({ level }) => decimal(level, digits).length)) * DIGIT + 8;
  const between = Math.max(gap, length);
  const labelled: [number, number][] = [];
  const word = recommendedAt(view, frame, yScale);
  const onWord = (x: number, y: number): boolean =>
    word !== null &&
    Math.abs(x - word.at) < WORD.halfWidth + length / 2 &&
    Math.abs(y - word.top - WORD.height / 2) < WORD.height;
  // a halo in the line's colour would show on the hatching
  const measured = view.measured ? taken.map(([x]) => x) : [];
  const heights = view.measured ? taken.map(([, y]) => y) : [];
  const inner = {
    top: Math.max(heat.top + 12, ...(heights.length > 0 ? [Math.min(...heights) + 10] : [])),
    bottom: Math.min(heat.top + heat.height - 12, ...(heights.length > 0 ? [Math.max(...heights) - 10] : [])),
    left: Math.max(left + 26, (measured.length > 0 ? Math.min(...measured) : left) + 18),
    right: Math.min(left + plotWidth - 26, (measured.length > 0 ? Math.max(...measured) : left + plotWidth) - 18),
  };
  const toX = (g: number): number => left + (g / (GRID - 1)) * plotWidth;
  const toY = (g: number): number => heat.top + heat.height - (g / (GRID - 1)) * heat.height;
  const out: Shape[] = [];
  for (const { level, points, count } of lines) {
    const best: Spot = { x: 0, y: 0, angle: 0, score: Number.POSITIVE_INFINITY };
    for (let s = 0; s < count; s += 8) {
      const x = toX((points[s] + points[s + 2]) / 2);
      const y = toY((points[s + 1] + points[s + 3]) / 2);
      if (x < inner.left || x > inner.right || y < inner.top || y > inner.bottom) continue;
      if (Math.abs(needle.x - x) < 24 || Math.abs(needle.y - y) < 16) continue;
      const score = nearest(spines, y);
      if (score >= best.score) continue;
      if (onWord(x, y)) continue;
      if (taken.some((p) => isNear(p, x, y, gap))) continue;
      if (labelled.some((p) => isNear(p, x, y, between))) continue;
      if (
        tied.some(
          ([ax, ay, bx, by]) =>
            x > Math.min(ax, bx) - 19 &&
            x < Math.max(ax, bx) + 19 &&
            y > Math.min(ay, by) - 9 &&
            y < Math.max(ay, by) + 9,
        )
      )
        continue;
      const dx = toX(points[s + 2]) - toX(points[s]);
      const dy = toY(points[s + 3]) - toY(points[s + 1]);
      let angle = (Math.atan2(dy, dx) * 180) / Math.PI;
      if (angle > 90) angle -= 180;
      if (angle < -90) angle += 180;
      Object.assign(best, { x, y, angle, score });
    }
    if (best.score === Number.POSITIVE_INFINITY) continue;
    labelled.push([best.x, best.y]);
    const base = colourOf(level, frame);
    out.push(
      moving(best.x, best.y, decimal(level, digits), { ...CONTOUR, fill: inkOn(base), stroke: base }, best.angle),
    );
  }
  return out;
}
