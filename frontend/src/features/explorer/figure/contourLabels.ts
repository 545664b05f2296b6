// SPDX-License-Identifier: Apache-2.0
// The values of the contours, written where they cover nothing.
import type { Isoline } from '../../../plots/contours';
import { decimal, digitsOfStep } from '../../../plots/number';
import type { Scale } from '../../../plots/scale';
import { CONTOUR, LETTER_PX, moving, type Shape } from '../../../plots/shapes';
import { inkOn } from '../../../plots/tide';
import type { View } from '../../../state/view';
import type { Frame } from './frame';
import { colourOf, isDense, recommendedAt, WORD_BOX } from './heat';
import { GRID } from './live';

/** The crosshair. */
interface Crosshair {
  readonly x: number;
  readonly y: number;
}

/** Where a contour may bear its label. Numbers only, one after the other: each segment of each contour is compared with them in every frame. */
interface Room {
  /** Left, right, top, bottom. */
  readonly inner: Float64Array;
  readonly crosshair: Crosshair;
  /** Heights that labels stand near. */
  readonly spines: Float64Array;
  /** Nothing is written into these: left, right, top, bottom of each. */
  readonly boxes: Float64Array;
  /** Nothing is written within `gap` of these: x, y of each. */
  readonly cells: Float64Array;
  readonly gap: number;
  /** Nor within `between` of the labels before: `labelled` numbers are in use. */
  readonly labels: Float64Array;
  labelled: number;
  readonly between: number;
}

function distance(heights: Float64Array, y: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < heights.length; i++) least = Math.min(least, Math.abs(y - heights[i]));
  return least;
}

function isNear(places: Float64Array, count: number, x: number, y: number, room: number): boolean {
  for (let i = 0; i < count; i += 2) {
    const dx = places[i] - x;
    const dy = places[i + 1] - y;
    if (dx * dx + dy * dy < room * room) return true;
  }
  return false;
}

function isWithin(boxes: Float64Array, x: number, y: number): boolean {
  for (let i = 0; i < boxes.length; i += 4)
    if (x > boxes[i] && x < boxes[i + 1] && y > boxes[i + 2] && y < boxes[i + 3]) return true;
  return false;
}

function isFree(room: Room, x: number, y: number): boolean {
  return !(
    isWithin(room.boxes, x, y) ||
    isNear(room.cells, room.cells.length, x, y, room.gap) ||
    isNear(room.labels, room.labelled, x, y, room.between)
  );
}

/** From a place on the grid to its pixel: from the left and upwards. */
interface Onto {
  readonly left: number;
  readonly bottom: number;
  readonly stepX: number;
  readonly stepY: number;
}

type IsCliff = (x: number, y: number) => boolean;

/** Steps of the grid around a label that is clear of a jump. */
const AROUND = 2;

/** Where a surface jumps, several contours lie on each other: a label would name one of them and hide the rest. */
function cliffsOf(z: ArrayLike<number>, step: number): IsCliff {
  const within = (at: number): number => Math.max(0, Math.min(GRID - 1, Math.round(at)));
  return (x, y) => {
    const [left, right] = [within(x - AROUND), within(x + AROUND)];
    const [low, high] = [within(y - AROUND) * GRID, within(y + AROUND) * GRID];
    const corners = [z[low + left], z[low + right], z[high + left], z[high + right]];
    return Math.max(...corners) - Math.min(...corners) > 1.5 * step;
  };
}

/** Where the segment begins among the line's points that is nearest to a spine; -1 where none is free. */
function labelledSegment({ points, count }: Isoline, isCliff: IsCliff, onto: Onto, room: Room): number {
  const { inner, crosshair, spines } = room;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let s = 0; s < count; s += 8) {
    const x = onto.left + ((points[s] + points[s + 2]) / 2) * onto.stepX;
    const y = onto.bottom - ((points[s + 1] + points[s + 3]) / 2) * onto.stepY;
    if (x < inner[0] || x > inner[1] || y < inner[2] || y > inner[3]) continue;
    if (Math.abs(crosshair.x - x) < 24 || Math.abs(crosshair.y - y) < 16) continue;
    const score = distance(spines, y);
    if (score >= least || !isFree(room, x, y) || isCliff(points[s], points[s + 1])) continue;
    best = s;
    least = score;
  }
  return best;
}

/** Degrees, so that words along the segment stand upright; where it is nearly vertical, all read upwards, as neighbours do. */
export function uprightAngle(dx: number, dy: number): number {
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  return angle > 80 ? angle - 180 : angle <= -100 ? angle + 180 : angle;
}

/** Around ties and the word at the recommended setting; `half`: of a label. */
function keptClear(view: View, frame: Frame, yScale: Scale, half: number): Float64Array {
  const ties = isDense(view, frame) ? [] : view.ties;
  const boxes = ties.map(([a, b]) => {
    const [ax, ay, bx, by] = [frame.x(a.x), yScale(a.y), frame.x(b.x), yScale(b.y)];
    return [Math.min(ax, bx) - 19, Math.max(ax, bx) + 19, Math.min(ay, by) - 9, Math.max(ay, by) + 9];
  });
  const word = recommendedAt(view, frame, yScale);
  if (word) {
    const [aside, middle] = [WORD_BOX.halfWidth + half, word.top + WORD_BOX.height / 2];
    boxes.push([word.at - aside, word.at + aside, middle - WORD_BOX.height, middle + WORD_BOX.height]);
  }
  return Float64Array.from(boxes.flat());
}

/**
 * Labels sit on their line, with a halo in the line's own colour: along a contour the ground does not change. They keep clear of cells, ties,
 * crosshair, cliffs and the word at the recommended setting, and stand midway between rows, where the plot is emptiest.
 */
export function contourLabels(
  lines: readonly Isoline[],
  z: ArrayLike<number>,
  view: View,
  frame: Frame,
  crosshair: Crosshair,
): Shape[] {
  const { heat, left, plotWidth } = frame;
  const yScale = frame.y;
  if (!heat || !yScale || lines.length === 0) return [];
  const step = lines.length > 1 ? Math.min(...lines.slice(1).map((l, i) => l.level - lines[i].level)) : 1;
  const digits = digitsOfStep(step);
  const isCliff = cliffsOf(z, step);
  const rows = (view.layout.y?.levels ?? []).map(yScale);
  const spines = rows.length > 1 ? rows.slice(1).map((y, i) => (y + rows[i]) / 2) : [heat.top + heat.height / 2];
  // over a raster a label is clear of nothing
  const marked = isDense(view, frame) ? [] : view.points;
  const xs = marked.map((p) => frame.x(p.x));
  const ys = marked.map((p) => yScale(p.y));
  const gap = frame.phone ? 22 : 36;
  // of two labels, however they are turned
  const length = Math.max(...lines.map(({ level }) => decimal(level, digits).length)) * LETTER_PX.digit + 8;
  // a halo in the line's colour would show on the hatching
  const among = view.measured && xs.length > 0;
  const right = left + plotWidth;
  const bottom = heat.top + heat.height;
  const room: Room = {
    inner: Float64Array.of(
      Math.max(left + 26, (among ? Math.min(...xs) : left) + 18),
      Math.min(right - 26, (among ? Math.max(...xs) : right) - 18),
      Math.max(heat.top + 12, among ? Math.min(...ys) + 10 : heat.top),
      Math.min(bottom - 12, among ? Math.max(...ys) - 10 : bottom),
    ),
    crosshair,
    spines: Float64Array.from(spines),
    boxes: keptClear(view, frame, yScale, length / 2),
    cells: Float64Array.from(xs.flatMap((x, i) => [x, ys[i]])),
    gap,
    labels: new Float64Array(2 * lines.length),
    labelled: 0,
    between: Math.max(gap, length),
  };
  const onto: Onto = { left, bottom, stepX: plotWidth / (GRID - 1), stepY: heat.height / (GRID - 1) };
  return lines.flatMap((line): Shape[] => {
    const s = labelledSegment(line, isCliff, onto, room);
    if (s < 0) return [];
    const [x0, y0, x1, y1] = line.points.subarray(s, s + 4);
    const [x, y] = [left + ((x0 + x1) / 2) * onto.stepX, bottom - ((y0 + y1) / 2) * onto.stepY];
    room.labels[room.labelled++] = x;
    room.labels[room.labelled++] = y;
    const base = colourOf(line.level, frame);
    const look = { ...CONTOUR, fill: inkOn(base), stroke: base };
    return [
      moving(x, y, decimal(line.level, digits), look, uprightAngle((x1 - x0) * onto.stepX, (y0 - y1) * onto.stepY)),
    ];
  });
}
