// SPDX-License-Identifier: Apache-2.0
// What a frame computes: the surface, one curve a line, the value under the crosshair. Everything that a slider does not move is
// prepared once, and no frame allocates a grid.
import type { FactorValue } from '../../../api/types';
import { type Binding, fromCells } from '../../../state/binding';
import { widened } from '../../../state/bounds';
import type { DataSlices } from '../../../state/dataSlice';
import type { ExplorerState } from '../../../state/explorer';
import { fieldOf } from '../../../state/field';
import { predictionHalf, thetaOf } from '../../../state/fit';
import { type Axis, FEWEST_OF_A_CURVE, type Layout, type Point, pointsOf } from '../../../state/layout';
import { type Pin, pinLetter, suits } from '../../../state/pins';
import { type Frames, gradientAt, type Prediction, type Prepared, predictor, prepare } from '../../../state/prediction';
import type { View } from '../../../state/view';
import { type Frame, MOST_OTHERS } from './frame';

export const GRID = 128;
const LINE = 241;

/** One line of the lower plot: a setting of the upward axis, or a level of the first choice. */
export interface Series {
  readonly key: string;
  readonly y: number;
  readonly level: FactorValue | null;
  readonly ink: string;
  readonly points: readonly Point[];
  /** The chosen one among the levels of a choice; true for every MTU of a plane. */
  readonly chosen: boolean;
  /** Through the cells along the axis across; null with fewer than two. */
  readonly along: ((at: number) => number) | null;
}

export interface Curve {
  readonly series: Series | null;
  readonly values: Float64Array;
  /** At the crosshair; NaN where nothing is known there. */
  at: number;
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly value: number;
  readonly prediction: Prediction | null;
  /** Half the 95 % interval of the prediction; null off the fit, and where there is none. */
  readonly half: number | null;
  readonly cell: Point | null;
}

export interface FrameData {
  readonly state: ExplorerState;
  readonly theta: Readonly<Record<string, number>>;
  readonly edited: boolean;
  readonly z: Float64Array | null;
  readonly curves: readonly Curve[];
  /** The line at the crosshair's own setting, where it is none of the drawn ones. */
  readonly own: Curve | null;
  readonly place: Place;
  readonly values: readonly [number, number];
}

const ink = (i: number, n: number): string => {
  if (n <= 5) return `var(--mtu-${i + 1})`;
  const t = (i * 4) / (n - 1);
  const k = Math.min(3, Math.floor(t));
  return t === k
    ? `var(--mtu-${k + 1})`
    : `color-mix(in srgb, var(--mtu-${k + 1}) ${Math.round(100 * (k + 1 - t))}%, var(--mtu-${k + 2}))`;
};

const acrossOf = (layout: Layout): Axis | null => (layout.across === 'x' ? layout.x : layout.y);

/** Through a row of cells, over the settings that the row has. */
export function throughRow(layout: Layout, points: readonly Point[]): ((at: number) => number) | null {
  const axis = acrossOf(layout);
  if (!axis || points.length < 2) return null;
  const samples = points.map((p) => ({ x: layout.across === 'x' ? p.x : p.y, y: 0, value: p.mean }));
  const levels = [...new Set(samples.map((s) => s.x))].sort((a, b) => a - b);
  const field =
    levels.length >= FEWEST_OF_A_CURVE ? fieldOf({ x: { ...axis, levels }, y: null }, samples, false) : null;
  return field && ((at) => (at < levels[0] || at > levels[levels.length - 1] ? Number.NaN : field.at(at, 0)));
}

/** More rows than this are not drawn as lines all at once. */
const MOST_ROWS = 24;
const SHOWN_ROWS = 10;

/** Of many rows as many as can be told apart, evenly, the first and the last among them; all that were asked for. */
export function rowsShown(levels: readonly number[], asked: readonly number[] | null): ReadonlySet<number> {
  if (asked) return new Set(asked);
  if (levels.length <= MOST_ROWS) return new Set(levels);
  const step = (levels.length - 1) / (SHOWN_ROWS - 1);
  return new Set(Array.from({ length: SHOWN_ROWS }, (_, k) => levels[Math.round(k * step)]));
}

function rowsOf(view: View, state: ExplorerState): Series[] {
  const levels = view.layout.y?.levels ?? [];
  const whole = view.field;
  const shown = rowsShown(levels, state.lines);
  return levels.flatMap((y, i) => {
    if (!shown.has(y)) return [];
    const points = view.points.filter((p) => p.y === y);
    const along = whole ? (at: number) => whole.at(at, y) : throughRow(view.layout, points);
    return [{ key: String(y), y, level: null, ink: ink(i, levels.length), points, chosen: true, along }];
  });
}

/** The lines of the lower plot. Of a plane: its rows. Else: the levels of the first choice, so that workloads stand beside each other. */
export function seriesOf(view: View, state: ExplorerState, slices: DataSlices): Series[] {
  const { layout } = view;
  if (layout.shape === 'plane') return rowsOf(view, state);
  const choice = layout.choices.find((c) => c !== layout.facet);
  const y = layout.across === 'x' ? (layout.y?.levels[0] ?? 0) : 0;
  const levels = choice && choice.levels.length <= MOST_OTHERS ? choice.levels : [];
  const others = levels.flatMap((level): Series[] => {
    if (!choice || level === state.where[choice.name]) return [];
    const slice = slices({ axes: state.axes, where: { ...state.where, [choice.name]: level } });
    const points = pointsOf(layout, slice.cells, {}, view.measure.name, null);
    if (points.length === 0 || slice.layout.across !== layout.across) return [];
    const along = throughRow(layout, points);
    return [{ key: String(level), y, level, ink: 'var(--line-3)', points, chosen: false, along }];
  });
  const level = choice ? (state.where[choice.name] ?? null) : null;
  const along = throughRow(layout, view.points);
  return [
    ...others,
    { key: String(level ?? 'all'), y, level, ink: 'var(--ink)', points: view.points, chosen: true, along },
  ];
}

/** What a pinned parameter set draws. It stands still while the current one moves. */
export interface Pinned {
  readonly letter: string;
  readonly curves: readonly { readonly series: Series; readonly values: Float64Array }[];
  readonly z: Float64Array | null;
}

/** Computes frames for one view in one frame. */
export interface Sampler {
  readonly series: readonly Series[];
  readonly pinned: readonly Pinned[];
  readonly lineXs: Float64Array;
  /** The same in pixels. */
  readonly pxs: Float64Array;
  /** The samples between which the cells lie; null of a line beyond all of them. */
  within(series: Series): readonly [number, number] | null;
  live(state: ExplorerState): FrameData;
}

const positions = (scale: Frame['x'], from: number, to: number, n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => scale.invert(from + ((to - from) * i) / (n - 1)));

/** Fills a curve with a row of a prepared grid or a field. */
type Fill = (out: Float64Array, theta: Theta) => void;
type Theta = Readonly<Record<string, number>>;

interface OnMounted {
  readonly curve: Curve;
  /** Null where no slider moves it. */
  readonly fill: Fill | null;
}

/** The model's lines, all in one call of its kernel. */
function modelRows(
  binding: Binding,
  lineXs: Float64Array,
  series: readonly Series[],
  across: 'x' | 'y',
  frames: Frames,
): Fill[] {
  const ys = Float64Array.from(series, (s) => s.y);
  const rows = across === 'x' ? prepare(binding, lineXs, ys, frames) : prepare(binding, ys, lineXs, frames);
  // the lines are asked for one after the other with the same parameters: one evaluation serves them all
  let last: Theta | null = null;
  let all: Float64Array = new Float64Array(0);
  return series.map((_, k) => (out, theta) => {
    if (theta !== last) all = rows.evaluate(binding.output, theta);
    last = theta;
    if (across === 'x') out.set(all.subarray(k * LINE, (k + 1) * LINE));
    else for (let i = 0; i < LINE; i++) out[i] = all[i * series.length + k];
  });
}

function drawnOf(
  binding: Binding | null,
  lineXs: Float64Array,
  series: readonly Series[],
  across: 'x' | 'y',
  frames: Frames,
): OnMounted[] {
  const moving = binding ? series.filter((s) => s.chosen) : [];
  const fills = binding && moving.length > 0 ? modelRows(binding, lineXs, moving, across, frames) : [];
  return series.map((s) => {
    const k = moving.indexOf(s);
    const fill: Fill | null = k >= 0 ? fills[k] : null;
    const { along } = s;
    const values = fill || !along ? new Float64Array(LINE).fill(Number.NaN) : Float64Array.from(lineXs, along);
    return { curve: { series: s, values, at: Number.NaN }, fill };
  });
}

/** What is made for a place, until another is asked for: the crosshair stands still while a slider moves. */
function kept<T>(of: (x: number, y: number) => T): (x: number, y: number) => T {
  let last: { readonly x: number; readonly y: number; readonly made: T } | null = null;
  return (x, y) => {
    if (last?.x !== x || last.y !== y) last = { x, y, made: of(x, y) };
    return last.made;
  };
}

export function samplerOf(
  view: View,
  frame: Frame,
  series: readonly Series[],
  frames: Frames,
  pins: readonly Pin[] = [],
): Sampler {
  const { layout } = view;
  const { across } = layout;
  const binding = view.mode === 'blank' || (view.mode === 'cells' && !frame.heat) ? null : view.binding;
  const field = binding ? null : view.field;
  const edge = [frame.left, frame.left + frame.plotWidth] as const;
  const lineXs = positions(frame.x, edge[0], edge[1], LINE);
  const pxs = Float64Array.from(lineXs, (v) => Math.round(frame.x(v) * 10) / 10);
  const sampleOf = (v: number): number => Math.round(((frame.x(v) - edge[0]) / frame.plotWidth) * (LINE - 1));
  // other levels of a choice may have cells where this one has none
  const alongs = view.points.length > 0 ? view.points.map((p) => p[across]) : frame.across.levels;
  const span = [sampleOf(Math.min(...alongs)), sampleOf(Math.max(...alongs))] as const;
  const rows = view.points.map((p) => p.y);
  const beyond = (y: number): boolean => rows.length > 0 && (y < Math.min(...rows) || y > Math.max(...rows));
  const drawn = drawnOf(binding, lineXs, series, across, frames);
  const own: Curve = { series: null, values: new Float64Array(LINE), at: Number.NaN };
  const names = view.fit ? Object.keys(view.fit.estimates) : [];

  let surface: Prepared | null = null;
  let still: Float64Array | null = null;
  if (frame.heat && frame.y && view.mode !== 'cells' && view.mode !== 'blank') {
    const xs = positions(frame.x, edge[0], edge[1], GRID);
    const ys = positions(frame.y, frame.heat.top + frame.heat.height, frame.heat.top, GRID);
    if (binding) surface = prepare(binding, xs, ys, frames);
    else still = field?.fill(xs, ys, new Float64Array(GRID * GRID)) ?? null;
  }

  const pinned = (binding ? pins : [])
    .filter((pin) => suits(pin, view.sliders))
    .map(({ values: theta }, i): Pinned => {
      const curves = drawn.flatMap(({ curve, fill }) => {
        if (!fill || !curve.series) return [];
        const values = new Float64Array(LINE);
        fill(values, theta);
        return [{ series: curve.series, values }];
      });
      const z = surface && binding ? Float64Array.from(surface.evaluate(binding.output, theta)) : null;
      return { letter: pinLetter(i), curves, z };
    });

  const spots = new Map(series.map((s) => [s, kept((x, y) => binding && prepare(binding, [x], [y], frames))]));
  const predicted = kept((x, y) => binding && predictor(binding, x, y, frames));
  const ownRow = kept((_, y) => binding && prepare(binding, lineXs, [y], frames));

  function valueOn(s: Series, at: number, state: ExplorerState, theta: Theta): number {
    const spot = s.chosen ? (across === 'x' ? spots.get(s)?.(at, s.y) : spots.get(s)?.(state.x ?? 0, at)) : null;
    if (spot && binding) return spot.evaluate(binding.output, theta)[0];
    if (s.along) return s.along(at);
    return s.points.find((p) => (across === 'x' ? p.x : p.y) === at)?.mean ?? Number.NaN;
  }

  function place(state: ExplorerState, theta: Theta, edited: boolean): Place {
    const x = state.x ?? 0;
    const y = state.y ?? 0;
    const cell = view.points.find((p) => (!layout.x || p.x === x) && (!layout.y || p.y === y)) ?? null;
    const prediction = predicted(x, y)?.(theta) ?? null;
    const half =
      binding && view.fit && prediction && !edited && fromCells(binding) > 0
        ? predictionHalf(view.fit, names, gradientAt(binding, names, x, y, frames, theta), prediction.total)
        : null;
    const chosen = series.find((s) => s.chosen);
    const between = frame.heat ? field?.at(x, y) : chosen?.along?.(across === 'x' ? x : y);
    return { x, y, value: prediction?.total ?? between ?? cell?.mean ?? Number.NaN, prediction, half, cell };
  }

  function ownLine(state: ExplorerState, theta: Theta): Curve | null {
    if (!frame.heat || state.y === null || series.some((s) => s.y === state.y)) return null;
    const row = ownRow(0, state.y);
    if (binding && row) own.values.set(row.evaluate(binding.output, theta));
    else if (field) field.fill(lineXs, [state.y], own.values);
    else return null;
    return own;
  }

  return {
    series,
    pinned,
    lineXs,
    pxs,
    within: ({ y }) => (layout.shape === 'plane' && beyond(y) ? null : span),
    live(state) {
      const theta = thetaOf(view.sliders, state.overrides);
      const edited = Object.keys(state.overrides).some((name) => name in theta && theta[name] !== view.start[name]);
      const at = across === 'x' ? state.x : state.y;
      for (const { curve, fill } of drawn) {
        fill?.(curve.values, theta);
        if (curve.series && at !== null) curve.at = valueOn(curve.series, at, state, theta);
      }
      const line = ownLine(state, theta);
      const here = place(state, theta, edited);
      if (line) line.at = here.value;
      const z = surface && binding ? surface.evaluate(binding.output, theta) : still;
      return {
        state,
        theta,
        edited,
        z,
        curves: drawn.map((d) => d.curve),
        own: line,
        place: here,
        values: edited ? reach(view, drawn) : view.values,
      };
    },
  };
}

/** The value scale gives way when a curve leaves it far behind. */
function reach(view: View, drawn: readonly OnMounted[]): readonly [number, number] {
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  for (const { curve } of drawn)
    for (const v of curve.values) {
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
  return widened(view.values, lo, hi);
}
