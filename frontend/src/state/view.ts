// SPDX-License-Identifier: Apache-2.0
// One picture's worth of data: everything that stands still while a slider or the crosshair moves.
import type { Cell, Experiment, FactorValue, Fit, Kind, MeasureOf, Quantity } from '../api/types';
import { contourLevels } from '../plots/contours';
import { decadeTicks, niceStep, niceTicks, paddedDomain } from '../plots/scale';
import { type Binding, bindings, fromCells, type MeasurePoints, prepare } from './binding';
import {
  type AxisTerms,
  type ExplorerState,
  METHODS,
  type ModelTerms,
  type SliceTerms,
  shortened,
  type Terms,
} from './explorer';
import { type Field, fieldOf } from './field';
import { START_TURN } from './figure';
import { pooledShare, type Slider, slidersOf } from './fit';
import { type Axis, defaultWhere, type Layout, layoutOf, matches, type Point, pointsOf, ties } from './layout';
import { type BundledModel, type Catalogue, fittedAs, isCost } from './models';

/** What the explorer is opened on: an experiment with its cells, or a model alone. */
export type Subject =
  | { readonly of: 'experiment'; readonly experiment: Experiment; readonly cells: readonly Cell[] }
  | { readonly of: 'model'; readonly model: BundledModel };

/** No model: the surface is drawn through the cells. */
export const NO_MODEL = 'none';

/** What the paper and its readers look at first; the rest of the measures follow. */
const FIRST = [
  'receiver_cpu_jiffies_per_gb',
  'receiver_cpu_s_per_gb',
  'system_cpu_jiffies_per_gb',
  'system_cpu_s_per_gb',
  'packets_per_interrupt',
  'throughput_mbps',
  'goodput_mbps',
  'rx_interrupts_per_gb',
  'rx_interrupt_rate_hz',
  'receiver_cpu_percent',
  'system_cpu_percent',
  'idle_cpu_percent',
  'latency_us',
  'latency_p50_us',
  'latency_p99_us',
  'request_rate_hz',
];
/** Said to be missing where they are: every experiment of this kind is asked for them. */
const EXPECTED = ['packets_per_interrupt', 'throughput_mbps', 'rx_interrupt_rate_hz', 'system_cpu_percent'];

const order = (name: string): number => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);

/** One setting of the choices: its cells, how they span the picture, what was measured in them. */
export interface Slice {
  readonly layout: Layout;
  readonly cells: readonly Cell[];
  /** With cells here. */
  readonly measures: readonly Quantity[];
  /** Without: what the experiment has elsewhere, or would be expected to have. */
  readonly missing: readonly Quantity[];
  readonly cellsOf: (measure: string) => number;
  readonly points: MeasurePoints;
  bindings(measure: string): readonly Binding[];
}

function once<A, R>(make: (key: A) => R): (key: A) => R {
  const known = new Map<A, R>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      found = make(key);
      known.set(key, found);
    }
    return found;
  };
}

function experimentSlice(
  subject: Extract<Subject, { of: 'experiment' }>,
  where: Readonly<Record<string, FactorValue>>,
  catalogue: Catalogue,
): Slice {
  const { experiment } = subject;
  const cells = subject.cells.filter((c) => matches(c, where));
  const layout = layoutOf(experiment, subject.cells, where);
  const points = once((measure: string) => pointsOf(layout, cells, {}, measure, null));
  const all: readonly (Quantity | MeasureOf)[] = [...experiment.measures].sort((a, b) => order(a.name) - order(b.name));
  const measures = all.filter((m) => points(m.name).length > 0);
  const expected = catalogue.quantities.filter((q) => EXPECTED.includes(q.name) && !all.some((m) => m.name === q.name));
  const missing = [...all.filter((m) => points(m.name).length === 0), ...expected].sort(
    (a, b) => order(a.name) - order(b.name),
  );
  return {
    layout,
    cells,
    measures,
    missing,
    cellsOf: (measure) => points(measure).length,
    points,
    bindings: once((measure: string) => bindings(catalogue, layout, measure, points)),
  };
}

/** Settings that stand for a continuous range: 1, 2 and 5 times powers of ten, or well-known MTUs. */
function modelAxis(quantity: Quantity): Axis {
  const [lo, hi] = quantity.typical ?? [quantity.domain[0] ?? 0, quantity.domain[1] ?? 1];
  const base = { name: quantity.name, label: quantity.label, unit: quantity.unit, bounds: [lo, hi] as const };
  if (quantity.name === 'mtu_bytes') {
    const levels = [1500, 3000, 4500, 6000, 9000].filter((v) => v >= lo && v <= hi);
    return { ...base, levels, spacing: 'linear' };
  }
  if (lo > 0 && hi / lo >= 20) return { ...base, levels: decadeTicks(lo, hi), spacing: 'log' };
  return { ...base, levels: niceTicks(lo, hi, 6), spacing: 'linear' };
}

/** The inputs that a model without data is drawn over: its plane where it has one, else what its kernel takes along x and y. */
function planeOf(model: BundledModel): { x: Quantity | undefined; y: Quantity | undefined } {
  const named = (name: string | undefined): Quantity | undefined => model.inputs.find((i) => i.name === name);
  if (!model.plane) return { x: model.inputs.at(-1), y: model.inputs.at(-2) };
  const other = model.inputs.find((i) => model.axes[i.name]?.includes('x'));
  return { x: named(model.plane.x) ?? other, y: named(model.plane.y) };
}

function modelSlice(model: BundledModel, catalogue: Catalogue): Slice {
  const over = planeOf(model);
  const x = over.x ? modelAxis(over.x) : null;
  const y = over.y ? modelAxis(over.y) : null;
  const layout: Layout = { x, y, choices: [], shape: x && y ? 'plane' : 'line', across: x ? 'x' : 'y' };
  return {
    layout,
    cells: [],
    measures: model.outputs,
    missing: [],
    cellsOf: () => 0,
    points: () => [],
    bindings: once((measure: string) =>
      bindings(catalogue, layout, measure, null).filter((b) => b.model.id === model.id),
    ),
  };
}

/** Slices are asked for again and again: each is made once. */
export function slicesOf(
  subject: Subject,
  catalogue: Catalogue,
): (where: Readonly<Record<string, FactorValue>>) => Slice {
  if (subject.of === 'model') {
    const only = modelSlice(subject.model, catalogue);
    return () => only;
  }
  const byKey = new Map<string, Slice>();
  return (where) => {
    const key = JSON.stringify(where);
    let slice = byKey.get(key);
    if (!slice) {
      slice = experimentSlice(subject, where, catalogue);
      byKey.set(key, slice);
    }
    return slice;
  };
}

// ---- what an address may say ---------------------------------------------------------------------------------------

const SHARE = 0.065;

/** Picture bounds of an axis. */
export function boundsOf(axis: Axis, upward: boolean): readonly [number, number] {
  if (axis.bounds) return axis.bounds;
  const [lo, hi] = paddedDomain(axis.levels, axis.spacing, upward ? 0.12 : SHARE);
  return [shortened(lo), shortened(hi)];
}

function startOn(axis: Axis): number {
  const { levels, spacing } = axis;
  if (spacing === 'linear') return levels[Math.floor((levels.length - 1) / 2)];
  const positive = levels.filter((v) => v > 0);
  const middle = Math.sqrt(positive[0] * positive[positive.length - 1]);
  return positive.reduce((a, b) => (Math.abs(Math.log(b / middle)) < Math.abs(Math.log(a / middle)) - 1e-9 ? b : a));
}

function axisTerms(axis: Axis | null, upward: boolean): AxisTerms | null {
  if (!axis) return null;
  const [lo, hi] = boundsOf(axis, upward);
  const zero = axis.levels[0] >= 0;
  return { name: axis.name, lo: zero ? Math.max(lo, 0) : lo, hi, levels: axis.levels, start: startOn(axis) };
}

const modelTerms = (b: Binding): ModelTerms => ({
  id: b.model.id,
  sliders: b.terms.map((t) => ({ name: t.name, lo: t.domain[0] ?? -1e12, hi: t.domain[1] ?? 1e12 })),
});

/** A surface through the cells needs no model; without one the picture of a sparse table would be empty. */
export function modelsFor(slice: Slice, measure: string): readonly ModelTerms[] {
  const all = slice.bindings(measure);
  const named = all.map(modelTerms);
  if (slice.cells.length === 0) return named;
  const none: ModelTerms = { id: NO_MODEL, sliders: [] };
  const preferred =
    all.length > 0 && (fromCells(all[0]) > 0 || !throughCells(slice.layout, slice.points(measure), measure));
  return preferred ? [...named, none] : [none, ...named];
}

const isRatio = (name: string): boolean => name.startsWith('packets_per') || name.endsWith('_hz');

function throughCells(layout: Layout, points: readonly Point[], measure: string): Field | null {
  if (points.length < 2) return null;
  return fieldOf(
    layout,
    points.map((p) => ({ x: p.x, y: p.y, value: p.mean })),
    isRatio(measure),
  );
}

export function termsOf(subject: Subject, slices: (where: Readonly<Record<string, FactorValue>>) => Slice): Terms {
  const asked = subject.of === 'experiment' ? subject.experiment : null;
  const where = subject.of === 'experiment' ? defaultWhere(subject.experiment, subject.cells) : {};
  const first = slices(where);
  const names = first.measures.map((m) => m.name);
  const preferred = asked?.default_view?.measure ?? '';
  const method = asked?.default_fit?.method;
  const defaults: ExplorerState = {
    where,
    measure: names.includes(preferred) ? preferred : (names[0] ?? preferred),
    surface: 'model',
    figure: 'map',
    turn: START_TURN,
    contrast: 'difference',
    against: null,
    lines: null,
    x: null,
    y: null,
    model: null,
    method: METHODS.find((m) => m === method) ?? 'paper-tls',
    frames: 'counted',
    byHand: {},
    pins: [],
  };
  return {
    choices: first.layout.choices.map(({ name, levels }) => ({ name, levels })),
    defaults,
    slice(chosen): SliceTerms {
      const slice = slices(chosen);
      return {
        measures: slice.measures.map((m) => m.name),
        x: axisTerms(slice.layout.x, false),
        y: axisTerms(slice.layout.y, true),
        models: (measure) => modelsFor(slice, measure),
      };
    },
  };
}

// ---- the picture ---------------------------------------------------------------------------------------------------

export type Mode = 'model' | 'interpolated' | 'cells' | 'blank';

export interface View {
  readonly kind: Kind | null;
  readonly slice: Slice;
  readonly layout: Layout;
  readonly measure: Quantity;
  readonly points: readonly Point[];
  readonly ties: readonly (readonly [Point, Point])[];
  readonly models: readonly Binding[];
  readonly binding: Binding | null;
  readonly field: Field | null;
  readonly mode: Mode;
  readonly fit: Fit | null;
  readonly sliders: readonly Slider[];
  /** Half a pooled interval as a share of the mean, where the cells have no deviation of their own. */
  readonly pooled: number | null;
  /** Where every slider starts. */
  readonly start: Readonly<Record<string, number>>;
  readonly xBounds: readonly [number, number];
  readonly yBounds: readonly [number, number];
  /** Bounds of colour and height, and how the scale between them runs; contour levels within. */
  readonly values: readonly [number, number];
  readonly valueSpacing: 'linear' | 'log';
  readonly contours: readonly number[];
  /** Nothing measured: no hull, no hatching. */
  readonly measured: boolean;
}

/** Which binding the state asks for. */
export function bindingOf(slice: Slice, state: Pick<ExplorerState, 'measure' | 'model'>): Binding | null {
  const id = state.model ?? modelsFor(slice, state.measure)[0]?.id;
  return slice.bindings(state.measure).find((b) => b.model.id === id) ?? null;
}

export const thetaOf = (sliders: readonly Slider[], byHand: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(sliders.map((s) => [s.name, byHand[s.name] ?? s.start]));

const SAMPLES = 33;

/** A coarse grid over the measured settings: for the bounds of the value scale. */
function coarse(
  view: Pick<View, 'layout' | 'binding' | 'field' | 'mode' | 'start'>,
  frames: ExplorerState['frames'],
): Float64Array {
  const range = (axis: Axis | null): Float64Array => {
    if (!axis || axis.levels.length < 2) return Float64Array.of(axis?.levels[0] ?? 0);
    const [lo, hi] = axis.bounds ?? [axis.levels[0], axis.levels[axis.levels.length - 1]];
    const logs = axis.spacing !== 'linear' && lo > 0;
    return Float64Array.from({ length: SAMPLES }, (_, i) => {
      const t = i / (SAMPLES - 1);
      return logs ? lo * (hi / lo) ** t : lo + (hi - lo) * t;
    });
  };
  const xs = range(view.layout.x);
  const ys = range(view.layout.y);
  if (view.binding && view.mode === 'model')
    return prepare(view.binding, xs, ys, frames).evaluate(view.binding.output, view.start);
  if (view.field) return view.field.fill(xs, ys, new Float64Array(xs.length * ys.length));
  return new Float64Array(0);
}

function valueBounds(points: readonly Point[], z: Float64Array): [number, number] {
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  const take = (v: number): void => {
    if (!Number.isFinite(v)) return;
    lo = Math.min(lo, v);
    hi = Math.max(hi, v);
  };
  for (const p of points) {
    take(p.mean - (p.half ?? 0));
    take(p.mean + (p.half ?? 0));
  }
  for (const v of z) take(v);
  if (!(hi >= lo)) return [0, 1];
  if (hi - lo < 1e-9 * Math.max(Math.abs(hi), 1)) {
    const room = Math.abs(hi) * 0.05 || 1;
    return [lo >= 0 ? Math.max(0, lo - room) : lo - room, hi + room];
  }
  const room = Math.min((hi - lo) * 0.02, lo > 0 ? lo * 0.02 : Number.POSITIVE_INFINITY);
  return [lo >= 0 ? Math.max(0, lo - room) : lo - room, hi + room];
}

/** The bounds, wide enough for what is drawn now: they give way in round steps, and only when something is well beyond them. */
export function widened(bounds: readonly [number, number], lo: number, hi: number): readonly [number, number] {
  const span = bounds[1] - bounds[0];
  if (!(lo < bounds[0] - 0.15 * span) && !(hi > bounds[1] + 0.15 * span)) return bounds;
  const step = niceStep((Math.max(hi, bounds[1]) - Math.min(lo, bounds[0])) / 4);
  return [
    lo < bounds[0] - 0.15 * span ? Math.floor(lo / step) * step : bounds[0],
    hi > bounds[1] + 0.15 * span ? Math.ceil(hi / step) * step : bounds[1],
  ];
}

function modeOf(state: ExplorerState, binding: Binding | null, field: Field | null, waiting: boolean): Mode {
  if (state.surface === 'cells') return 'cells';
  if (binding) return waiting ? 'blank' : 'model';
  return field ? 'interpolated' : 'cells';
}

/** `waiting`: the fit that the sliders start from is on its way. */
export function viewOf(subject: Subject, slice: Slice, state: ExplorerState, fit: Fit | null, waiting: boolean): View {
  const measure =
    [...slice.measures, ...slice.missing].find((m) => m.name === state.measure) ??
    slice.measures[0] ??
    slice.missing[0];
  const binding = bindingOf(slice, state);
  const fitted = binding && fittedAs(binding.model) ? fit : null;
  const pooled = isCost(measure.name) ? pooledShare(fitted) : null;
  const points = pointsOf(slice.layout, slice.cells, {}, measure.name, pooled);
  const field = throughCells(slice.layout, points, measure.name);
  const sliders = slidersOf(binding?.terms ?? [], fitted, state.byHand);
  const start = Object.fromEntries(sliders.map((s) => [s.name, s.start]));
  const mode = modeOf(state, binding, field, waiting && binding !== null && fittedAs(binding.model) !== null);
  const z = coarse(
    { layout: slice.layout, binding, field, mode: binding && !waiting ? 'model' : mode, start },
    state.frames,
  );
  const values = valueBounds(points, z);
  const valueSpacing = isRatio(measure.name) && values[0] > 0 && values[1] / values[0] > 12 ? 'log' : 'linear';
  const ticks = valueSpacing === 'log' ? decadeTicks(values[0], values[1]) : niceTicks(values[0], values[1], 7);
  return {
    kind: subject.of === 'experiment' ? subject.experiment.kind : null,
    slice,
    layout: slice.layout,
    measure,
    points,
    ties: ties(slice.layout, points),
    models: slice.bindings(state.measure),
    binding,
    field,
    mode,
    fit: fitted,
    sliders,
    pooled,
    start,
    xBounds: slice.layout.x ? boundsOf(slice.layout.x, false) : [0, 1],
    yBounds: slice.layout.y ? boundsOf(slice.layout.y, slice.layout.shape === 'plane') : [0, 1],
    values,
    valueSpacing,
    contours: valueSpacing === 'log' ? ticks : contourLevels(z, ticks, values[0], values[1]),
    measured: subject.of === 'experiment',
  };
}
