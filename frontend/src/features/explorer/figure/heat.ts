// SPDX-License-Identifier: Apache-2.0
// The surface's marks: cells with their intervals, ties, hatching. The surface itself is painted on a canvas below.
import type { Scale } from '../../../plots/scale';
import {
  circle,
  END,
  gathered,
  hundredths,
  LETTER_PX,
  line,
  MIDDLE,
  mark,
  path,
  rect,
  type Shape,
  TEXT,
  TICK,
  text,
  tick,
} from '../../../plots/shapes';
import { inkOn, tide } from '../../../plots/tide';
import type { Axis, Point } from '../../../state/layout';
import type { View } from '../../../state/view';
import { type Frame, fraction, tickWords } from './frame';

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

const placesIn = (levels: readonly number[]): ReadonlyMap<number, number> => new Map(levels.map((v, i) => [v, i]));

/** One tile a cell. */
function tiles(view: View, frame: Frame, gap = 1): Shape[] {
  const { x, y } = view.layout;
  const found = tileEdges(view, frame);
  if (!x || !y || !found) return [];
  const [ex, ey] = found;
  const [across, up] = [placesIn(x.levels), placesIn(y.levels)];
  return view.points.map((p) => {
    const [i, j] = [across.get(p.x) ?? 0, up.get(p.y) ?? 0];
    return rect(ex[i], ey[j + 1], ex[i + 1] - ex[i] - gap, ey[j] - ey[j + 1] - gap, { fill: colourOf(p.mean, frame) });
  });
}

/** Fewer cells than this have a mark each, however near two of them are. */
const MOST_MARKS = 200;

function medianGap(levels: readonly number[], at: Scale): number {
  const gaps = levels.slice(1).map((v, i) => Math.abs(at(v) - at(levels[i])));
  gaps.sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** Pixels that a mark with its rim needs for itself. */
const MARK_ROOM = 10;

/** Whether the marks of neighbouring cells would touch: they give way to a raster. */
export function isDense({ layout: { x, y }, points }: Pick<View, 'layout' | 'points'>, frame: Frame): boolean {
  if (points.length <= MOST_MARKS || !frame.y) return false;
  return medianGap(x?.levels ?? [], frame.x) < MARK_ROOM || medianGap(y?.levels ?? [], frame.y) < MARK_ROOM;
}

/** Squares of the cells' own colours, one path a colour: beside a model they leave half of its surface in sight. */
function raster(view: View, frame: Frame): Shape[] {
  const share = view.mode === 'model' ? 0.5 : 1;
  const paths = tiles(view, frame, 0).map(({ attributes: { x, y, width, height, fill } }) => {
    const [w, h] = [hundredths(Number(width) * share), hundredths(Number(height) * share)];
    const [left, top] = [Number(x) + (Number(width) - w) / 2, Number(y) + (Number(height) - h) / 2];
    return path(`M${hundredths(left)} ${hundredths(top)}h${w}v${h}h${-w}Z`, { fill });
  });
  return gathered(paths);
}

type Span = readonly [number, number];

interface Hull {
  /** Of an axis of names there is none: beyond a name lies nothing to extrapolate to. */
  readonly x: Span | null;
  readonly y: Span | null;
}

/** The settings between which a surface has cells to go by; null if it is not drawn, or if there are none. */
export function hullOf({ layout: { x, y }, mode, measured, points }: View): Hull | null {
  const painted = mode === 'model' || mode === 'interpolated';
  if (!painted || !measured || points.length === 0 || !x || !y) return null;
  const span = (at: readonly number[]): Span => [Math.min(...at), Math.max(...at)];
  return {
    x: x.names ? null : span(points.map((p) => p.x)),
    y: y.names ? null : span(points.map((p) => p.y)),
  };
}

/** Whether a surface over all settings reaches beyond the cells. */
export function reachesBeyond(view: View): boolean {
  const hull = hullOf(view);
  const beyond = (axis: Axis | null, span: Span | null): boolean =>
    axis !== null && span !== null && (axis.levels[0] < span[0] || axis.levels[axis.levels.length - 1] > span[1]);
  return hull !== null && (beyond(view.layout.x, hull.x) || beyond(view.layout.y, hull.y));
}

/** What lies on the canvas: hatching beyond the measured hull, or tiles; and a hairline round it. */
export function underCells(view: View, frame: Frame): Shape[] {
  const { heat, left, plotWidth } = frame;
  const { x, y } = view.layout;
  if (!heat || !x || !y || !frame.y) return [];
  const out: Shape[] = [];
  const painted = view.mode === 'model' || view.mode === 'interpolated';
  if (isDense(view, frame)) out.push(...raster(view, frame));
  else if (view.mode === 'cells') out.push(...tiles(view, frame));
  const hull = hullOf(view);
  if (hull) {
    const [x0, x1] = hull.x?.map(frame.x) ?? [left, left + plotWidth];
    const [y1, y0] = hull.y?.map(frame.y) ?? [heat.top + heat.height, heat.top];
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
const WORD = 'recommended';
export const WORD_BOX = { halfWidth: Math.ceil((WORD.length * LETTER_PX.name) / 2) + 4, height: 16 };

interface Recommended {
  readonly X: number;
  readonly Y: number;
  /** Of the word: its middle and its upper edge. */
  readonly at: number;
  readonly top: number;
}

export function recommendedAt({ best }: View, frame: Frame, yScale: Frame['x']): Recommended | null {
  if (!best || !frame.heat) return null;
  const [X, Y] = [frame.x(best.x), yScale(best.y)];
  const below = Y - SQUARE - 22 < frame.heat.top;
  const top = below ? Y + SQUARE + 4 : Y - SQUARE - 20;
  // the word stays within the picture
  const room = WORD_BOX.halfWidth + 1;
  const at = Math.max(frame.left + room, Math.min(frame.left + frame.plotWidth - room, X));
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
    ...(light ? [square('var(--on-bright)', 3.5), square('var(--on-dark)', 1.75)] : [square('var(--ink)', 1.5)]),
    rect(at - WORD_BOX.halfWidth, top, 2 * WORD_BOX.halfWidth, WORD_BOX.height, { rx: 2, fill: 'var(--ground)' }),
    text(at, top + 12, WORD, { ...MIDDLE, 'font-size': TEXT.label, 'font-weight': 500, fill: 'var(--ink)' }),
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
  if (isDense(view, frame)) return [...toCome, ...recommended(view, frame, yScale, light)];
  const joined = view.ties.map(([a, b]) => {
    const [[x1, y1], [x2, y2]] = [at(a), at(b)];
    return line(
      x1,
      y1,
      x2,
      y2,
      light
        ? { stroke: 'var(--on-dark)', 'stroke-width': 2, 'stroke-opacity': 0.5 }
        : { stroke: 'var(--line-2)', 'stroke-width': 2 },
    );
  });
  const marks = view.points.flatMap((p): Shape[] => {
    const [X, Y] = at(p);
    const own = colourOf(p.mean, frame);
    const ink = light ? inkOn(own) : 'var(--ink)';
    if (p.n === 1)
      return [
        mark(kind, X, Y, r + 0.75, { fill: 'none', stroke: 'var(--on-bright)', 'stroke-width': 3.5 }),
        mark(kind, X, Y, r + 0.75, { fill: own, stroke: 'var(--on-dark)', 'stroke-width': 1.75 }),
      ];
    return [
      ...whisker(p, X, Y, r, longest, frame, ink),
      mark(kind, X, Y, r + 1.5, { fill: 'var(--on-dark)' }),
      mark(kind, X, Y, r, { fill: own, stroke: 'var(--on-bright)', 'stroke-width': 1 }),
    ];
  });
  return [...joined, ...toCome, ...gathered(marks), ...recommended(view, frame, yScale, light)];
}

/** Settings of the upward axis. */
export function upwardAxis(view: View, frame: Frame): Shape[] {
  const { y } = view.layout;
  const scale = frame.y;
  if (!y || !scale) return [];
  const ticks = y.levels.map((level) =>
    tick(frame.left - 5, scale(level), frame.left, scale(level), { stroke: 'var(--line-3)' }),
  );
  let last = Number.POSITIVE_INFINITY;
  const names = y.levels.flatMap((level) => {
    const Y = scale(level);
    if (last - Y < 13) return [];
    last = Y;
    return [text(frame.left - 8, Y, tickWords(y, level), { dy: '0.32em', ...END, ...TICK })];
  });
  return [...gathered(ticks), ...names];
}
