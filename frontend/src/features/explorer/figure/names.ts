// SPDX-License-Identifier: Apache-2.0
// The names of the lines of the lower plot: each above its own line, where no other line and no point lies under the letters.

import { dodge } from '../../../plots/dodge';
import { HALO, LETTER_PX, MIDDLE, moving, type Shape, TEXT } from '../../../plots/shapes';
import type { View } from '../../../state/view';
import type { Frame } from './frame';
import { aside, NAME_HEIGHT, namedOf, nameRoom, seriesName } from './lines';
import type { FrameData, Series } from './live';

const ABOVE = 11;
/** From the middle of the letters to what they are not to lie on. */
const CLEAR = 8;
const FROM_NEEDLE = 44;

type Spot = readonly [number, number];

const spread = (ys: readonly number[], frame: Frame): number[] => dodge(ys, NAME_HEIGHT, ...nameRoom(frame));

const halfOf = (name: string): number => (name.length * LETTER_PX.digit) / 2;

/** Where a broken line of marks is at `x`; NaN beside it. */
function along(marks: readonly Spot[], x: number): number {
  const next = marks.findIndex(([to], i) => i > 0 && to >= x);
  if (next < 1 || marks[0][0] > x) return Number.NaN;
  const [[a, from], [b, to]] = [marks[next - 1], marks[next]];
  return from + ((to - from) * (x - a)) / (b - a);
}

const marksOf = (frame: Frame, points: readonly { readonly x: number; readonly mean: number }[]): Spot[] =>
  points.map((p) => [frame.x(p.x), frame.v(p.mean)] as const).sort(([a], [b]) => a - b);

/** Points of the line itself, where the plot has them. */
const ownMarks = (view: View, frame: Frame, { points }: Series): Spot[] =>
  view.layout.across === 'x' ? marksOf(frame, points) : [];

/** Above the line at `X`, and above those of its points that lie under the letters. */
const above = (Y: number, X: number, half: number, own: readonly Spot[]): number =>
  Math.min(Y, ...own.flatMap(([x, y]) => (Math.abs(x - X) < half + 4 ? y : []))) - ABOVE;

/** The other experiment's lines in a difference. */
function partnerMarks(view: View, frame: Frame): Spot[][] {
  const points = view.partner?.points ?? [];
  return [...new Set(points.map((p) => p.y))].map((y) =>
    marksOf(
      frame,
      points.filter((p) => p.y === y),
    ),
  );
}

/** Where the names have room above their lines, as far left as that is. It stays while a slider moves. */
export function labelPlace(view: View, frame: Frame, live: FrameData, lineXs: Float64Array, crosshair: number): number {
  const { levels } = frame.across;
  const n = lineXs.length - 1;
  const index = (v: number): number => Math.round(((frame.x(v) - frame.left) / frame.plotWidth) * n);
  const [from, to] = [index(levels[0]), index(levels[levels.length - 1])];
  const first = levels.length > 1 ? Math.round((from + index(levels[1])) / 2) : from;
  const drawn = live.curves.filter((c) => c.series && Number.isFinite(c.values[first]));
  const halves = drawn.map(({ series }, i) => halfOf(seriesName(series as Series, i === 0, view)));
  const others = view.layout.across === 'x' ? partnerMarks(view, frame) : [];
  const own = drawn.map(({ series }) => ownMarks(view, frame, series as Series));
  const marks = [...own.flat(), ...others.flat()];

  const lines = [
    ...drawn.map(({ values }) => Float64Array.from(values, frame.v)),
    ...others.map((line) => Float64Array.from(lineXs, (x) => along(line, frame.x(x)))),
  ];

  /** From the names at `k` to the nearest line or point. Loops: the first view waits for it, and it is not compiled yet. */
  const room = (k: number): number => {
    const X = frame.x(lineXs[k]);
    const ys = spread(
      drawn.map((_, i) => above(lines[i][k], X, halves[i], own[i])),
      frame,
    );
    let nearest = ABOVE;
    const keepClear = (gap: number): void => {
      if (Math.abs(gap) < nearest) nearest = Math.abs(gap);
    };
    for (let i = 0; i < ys.length; i++) {
      for (const part of [-1, -0.5, 0, 0.5, 1]) {
        const j = k + Math.round((part * halves[i] * n) / frame.plotWidth);
        for (const line of lines) keepClear(line[j] - ys[i]);
      }
      for (const mark of marks) if (Math.abs(mark[0] - X) < halves[i] + 4) keepClear(mark[1] - ys[i]);
    }
    return nearest;
  };

  let [best, widest] = [first, -1];
  for (let k = first; k <= to - n * 0.06 && widest < CLEAR; k += 4) {
    if (Math.abs(frame.x(lineXs[k]) - crosshair) < FROM_NEEDLE) continue;
    const here = room(k);
    if (here > widest + 0.5) [best, widest] = [k, here];
  }
  return best;
}

/** The setting at which the points of different lines stand farthest apart. */
function farthestApart(view: View, frame: Frame, series: readonly Series[]): number | undefined {
  const gapAt = (level: number): number => {
    const ys = series.flatMap((s) => s.points.filter((p) => p.x === level).map((p) => frame.v(p.mean)));
    if (ys.length < series.length) return -1;
    const sorted = ys.sort((a, b) => a - b);
    return Math.min(...sorted.slice(1).map((y, i) => y - sorted[i]), frame.lines.height);
  };
  const levels = view.layout.x?.levels ?? [];
  return [...levels].sort((a, b) => gapAt(b) - gapAt(a))[0];
}

/** Direct labels: above the lines of a plane near their left end, beside a point where there is no line. */
export function lineLabels(view: View, frame: Frame, live: FrameData, lineXs: Float64Array, k: number): Shape[] {
  if (!frame.heat) return [];
  const drawn = namedOf(
    live.curves.filter((c) => c.series),
    frame,
    (c) => c.series?.y === live.state.y,
  );
  const all = live.curves.flatMap((c) => c.series ?? []);
  const bare = drawn.filter(({ values }) => !Number.isFinite(values[k]));
  const apart = farthestApart(
    view,
    frame,
    bare.map(({ series }) => series as Series),
  );
  // beside the group of a name, not on it
  const group = frame.across.names ? aside(view, frame, all[all.length - 1], all) : 0;
  const spots = drawn.flatMap(({ series: of, values }, i) => {
    const series = of as Series;
    const name = seriesName(series, i === 0, view);
    if (Number.isFinite(values[k])) {
      const x = frame.x(lineXs[k]);
      return [{ series, name, x, y: above(frame.v(values[k]), x, halfOf(name), ownMarks(view, frame, series)) }];
    }
    const point = series.points.find((p) => p.x === apart) ?? series.points[0];
    if (!point) return [];
    const X = frame.x(point.x);
    const away = halfOf(name) + 8 + group;
    return [{ series, name, x: X > frame.left + frame.plotWidth / 2 ? X - away : X + away, y: frame.v(point.mean) }];
  });
  const shown = spots.filter((s) => s.y > frame.lines.top - 12 && s.y < frame.lines.top + frame.lines.height);
  const ys = spread(
    shown.map((s) => s.y),
    frame,
  );
  return shown.map(({ series, name, x }, i) => {
    // clear of the ticks of the value axis and of the colour bar
    const half = halfOf(name);
    const at = Math.max(frame.left + half, Math.min(x, frame.left + frame.plotWidth - half));
    return moving(at, ys[i] + 4, name, {
      ...MIDDLE,
      'font-size': TEXT.label,
      'font-weight': 600,
      fill: series.ink,
      ...HALO,
    });
  });
}
