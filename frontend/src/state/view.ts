// SPDX-License-Identifier: Apache-2.0
// One picture's worth of data: everything that stands still while a slider or the crosshair moves.
import type { Cell, Cells, Experiment, FactorValue, Fit, Kind, MeasureOf } from '../api/types';
import { contourLevels } from '../plots/contours';
import { decadeTicks, niceStep, niceTicks, paddedDomain } from '../plots/scale';
import { START_ADVICE } from './advice';
import {
  type Binding,
  bindings,
  fromCells,
  type Ground,
  type MeasurePoints,
  prepare,
  type Unbound,
  unbound,
} from './binding';
import { type Partner, partnerOf } from './contrast';
import {
  type AxisTerms,
  type ExplorerState,
  METHODS,
  type ModelTerms,
  NO_MODEL,
  type SliceTerms,
  shortened,
  type Terms,
} from './explorer';
import { type Field, fieldOf } from './field';
import { type Figure, START_TURN } from './figure';
import { pooledShare, type Slider, slidersOf, whyNotDrawn } from './fit';
import {
  type Axes,
  type Axis,
  type AxisScale,
  axisFactors,
  type Cut,
  choicesOf,
  defaultAxes,
  defaultWhere,
  isNominal,
  type Layout,
  layoutOf,
  matches,
  mayBeLog,
  NONE,
  type Point,
  pointsOf,
  positionOn,
  scaled,
  ties,
} from './layout';
import {
  type BundledModel,
  type BundledParameter,
  type BundledQuantity,
  type Catalogue,
  fittedAs,
  isCost,
  partsOf,
} from './models';
import { axisOver, type Observed, pointsOver, termOver } from './observed';
import { type Place, placesToCome } from './planned';

/** What the explorer is opened on: an experiment with its cells, or a model alone. */
export type Subject =
  | {
      readonly of: 'experiment';
      readonly experiment: Experiment;
      readonly cells: readonly Cell[];
      /** By measure, what the sequence of the runs does to the cells' intervals. */
      readonly independence?: Cells['independence'];
      /** Runs that the cells are without. */
      readonly without?: readonly string[];
      /** The cells are of a file that was only opened: the server knows nothing of them. */
      readonly opened?: boolean;
      /** What a sweep is about to measure: cells without runs. */
      readonly planned?: readonly Cell[];
    }
  | {
      readonly of: 'model';
      readonly model: BundledModel;
      /** The cells that it was fitted to. */
      readonly observed?: Observed;
    };

type ModelSubject = Extract<Subject, { of: 'model' }>;

/** What the paper and its readers look at first; the rest of the measures follow. */
const FIRST = [
  'traffic_cpu_jiffies_per_gb',
  'traffic_cpu_s_per_gb',
  'system_cpu_jiffies_per_gb',
  'system_cpu_s_per_gb',
  'packets_per_interrupt',
  'throughput_mbps',
  'goodput_mbps',
  'rx_interrupts_per_gb',
  'rx_interrupt_rate_hz',
  'traffic_cpu_percent',
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
  /** Where a sweep has yet to measure. */
  readonly toCome: readonly Place[];
  /** The server fits models to these cells. */
  readonly fits: boolean;
  /** With cells here. */
  readonly measures: readonly BundledQuantity[];
  /** Without: what the experiment has elsewhere, or would be expected to have. */
  readonly missing: readonly BundledQuantity[];
  readonly cellsOf: (measure: string) => number;
  readonly points: MeasurePoints;
  bindings(measure: string): readonly Binding[];
  /** Models about a measure that cannot be drawn here, and why. */
  unbound(measure: string): readonly Unbound[];
}

/** Every cut has its slice. */
export type Slices = (cut: Cut) => Slice;

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

/** What every cell of a cut has in common: the levels that were chosen, and those of factors that never vary. */
function commonLevels(experiment: Experiment, { axes, where }: Cut): Record<string, FactorValue> {
  const still = experiment.factors.filter((f) => f.levels.length === 1 && f.name !== axes.x && f.name !== axes.y);
  return { ...Object.fromEntries(still.map((f) => [f.name, f.levels[0]])), ...where };
}

const OVER_THE_LINK = ['throughput_mbps', 'tx_throughput_mbps', 'goodput_mbps'];

function dependenceOf(subject: Subject, measure: string): string | null {
  const found = subject.of === 'experiment' ? subject.independence?.[measure] : undefined;
  return found && found.verdict !== 'none_found' ? found.reason : null;
}

/** In whatever slice: the link is that of all. */
function fastestOf(cells: readonly Cell[]): number {
  return cells.reduce((most, { measures }) => {
    const known = OVER_THE_LINK.map((name) => measures[name]?.mean ?? 0);
    return Math.max(most, ...known);
  }, 0);
}

function experimentSlice(subject: Extract<Subject, { of: 'experiment' }>, cut: Cut, catalogue: Catalogue): Slice {
  const { experiment } = subject;
  const cells = subject.cells.filter((c) => matches(c, cut.where));
  const planned = subject.planned ?? [];
  const layout = layoutOf(experiment, [...subject.cells, ...planned], cut);
  const points = once((measure: string) => pointsOf(layout, cells, {}, measure, null));
  const all: readonly (BundledQuantity | MeasureOf)[] = [...experiment.measures].sort(
    (a, b) => order(a.name) - order(b.name),
  );
  const measures = all.filter((m) => points(m.name).length > 0);
  const levels = commonLevels(experiment, cut);
  const ground: Ground = { layout, levels, points, fastest_mbps: fastestOf(subject.cells) };
  const expected = catalogue.quantities.filter((q) => EXPECTED.includes(q.name) && !all.some((m) => m.name === q.name));
  const missing = [...all.filter((m) => points(m.name).length === 0), ...expected].sort(
    (a, b) => order(a.name) - order(b.name),
  );
  return {
    layout,
    cells,
    toCome: placesToCome(layout, cut.where, planned, cells),
    fits: !subject.opened,
    measures,
    missing,
    cellsOf: (measure) => points(measure).length,
    points,
    bindings: once((measure: string) => bindings(catalogue, ground, measure)),
    unbound: once((measure: string) => unbound(catalogue, ground, measure)),
  };
}

/** Settings that stand for a continuous range: 1, 2 and 5 times powers of ten, or well-known MTUs. */
function modelAxis(quantity: BundledQuantity | BundledParameter): Axis {
  const [lo, hi] =
    'lo' in quantity
      ? [quantity.lo, quantity.hi]
      : (quantity.typical ?? [quantity.domain[0] ?? 0, quantity.domain[1] ?? 1]);
  const base = { name: quantity.name, label: quantity.label, unit: quantity.unit, bounds: [lo, hi] as const };
  if (quantity.name === 'mtu_bytes') {
    const levels = [1500, 3000, 4500, 6000, 9000].filter((v) => v >= lo && v <= hi);
    return { ...base, levels, spacing: 'linear' };
  }
  if (lo > 0 && hi / lo >= 20) return { ...base, levels: decadeTicks(lo, hi), spacing: 'log' };
  return { ...base, levels: niceTicks(lo, hi, 6), spacing: 'linear' };
}

/** What a model can be drawn over: its inputs, and its parameters where they are no costs with a part of the value each. */
function modelFactors(model: BundledModel): (BundledQuantity | BundledParameter)[] {
  return partsOf(model).length > 0 ? [...model.inputs] : [...model.inputs, ...model.parameters];
}

/** The axes that a model without data opens with: its plane where it has one, else what its kernel takes along x and y. */
function planeOf(model: BundledModel): Axes {
  const has = (name: string | undefined): boolean => model.inputs.some((i) => i.name === name);
  const rest = { facet: NONE, xScale: null, yScale: null };
  if (!model.plane) return { x: model.inputs.at(-1)?.name ?? NONE, y: model.inputs.at(-2)?.name ?? NONE, ...rest };
  const other = model.inputs.find((i) => model.axes[i.name]?.includes('x'))?.name ?? NONE;
  const { x, y } = model.plane;
  return { x: has(x) ? x : other, y: has(y) ? y : NONE, ...rest };
}

function modelSlice({ model, observed }: ModelSubject, catalogue: Catalogue, { axes }: Cut): Slice {
  const named = (name: string): Axis | null => {
    const found = modelFactors(model).find((f) => f.name === name);
    if (!found) return null;
    return observed ? axisOver(modelAxis(found), observed) : modelAxis(found);
  };
  const [across, up] = [named(axes.x), named(axes.y)];
  const x = across && scaled(across, axes.xScale);
  const y = up && scaled(up, axes.yScale);
  const shape = x && y ? 'plane' : 'line';
  const layout: Layout = { x, y, choices: [], facet: null, shape, across: x ? 'x' : 'y' };
  const ground: Ground = { layout, levels: {}, points: null, fastest_mbps: 0 };
  return {
    layout,
    cells: [],
    toCome: [],
    fits: false,
    measures: model.outputs,
    missing: [],
    cellsOf: () => 0,
    points: () => [],
    bindings: once((measure: string) => bindings(catalogue, ground, measure).filter((b) => b.model.id === model.id)),
    unbound: () => [],
  };
}

/** Slices are asked for again and again: each is made once. */
export function slicesOf(subject: Subject, catalogue: Catalogue): Slices {
  const byKey = new Map<string, Slice>();
  return ({ axes, where }) => {
    const key = JSON.stringify([axes.x, axes.y, axes.facet, axes.xScale, axes.yScale, where]);
    let slice = byKey.get(key);
    if (!slice) {
      const cut = { axes, where };
      slice = subject.of === 'model' ? modelSlice(subject, catalogue, cut) : experimentSlice(subject, cut, catalogue);
      byKey.set(key, slice);
    }
    return slice;
  };
}

// ---- what an address may say ---------------------------------------------------------------------------------------

const SHARE = 0.065;

/** Picture bounds where there is no axis: all stands at 0. */
const NOWHERE = [-0.5, 0.5] as const;

/** Picture bounds of an axis. */
export function boundsOf(axis: Axis, upward: boolean): readonly [number, number] {
  if (axis.bounds) return axis.bounds;
  const [lo, hi] = paddedDomain(axis.levels, axis.spacing, upward ? 0.12 : SHARE);
  // an axis of positive values ends above zero: values between cells are even in its logarithm
  const [least] = axis.levels;
  return [shortened(least > 0 ? Math.max(lo, least / 2) : lo), shortened(hi)];
}

function startOn(axis: Axis): number {
  const { levels } = axis;
  const spacing = axis.natural ?? axis.spacing;
  if (axis.names) return levels[0];
  if (spacing === 'linear') return levels[Math.floor((levels.length - 1) / 2)];
  const positive = levels.filter((v) => v > 0);
  const middle = Math.sqrt(positive[0] * positive[positive.length - 1]);
  return positive.reduce((a, b) => (Math.abs(Math.log(b / middle)) < Math.abs(Math.log(a / middle)) - 1e-9 ? b : a));
}

/** Where the crosshair starts. Where nothing is drawn between the cells of a plane of numbers with gaps, at a cell. */
function startsOf(slice: Slice, asked: string): { readonly x: number; readonly y: number } {
  const { x, y } = slice.layout;
  const start = { x: x ? startOn(x) : 0, y: y ? startOn(y) : 0 };
  const measure = slice.measures.find((m) => m.name === asked)?.name ?? slice.measures[0]?.name;
  if (!x || !y || x.names || y.names || measure === undefined) return start;
  const points = slice.points(measure);
  if (points.length === 0 || points.some((p) => p.x === start.x && p.y === start.y)) return start;
  if (modelsFor(slice, measure)[0]?.id !== NO_MODEL || throughCells(slice, points, measure)) return start;
  const steps = (axis: Axis, a: number, b: number) => Math.abs(axis.levels.indexOf(a) - axis.levels.indexOf(b));
  const away = (p: Point) => steps(x, p.x, start.x) + steps(y, p.y, start.y);
  return points.reduce((a, b) => (away(b) < away(a) ? b : a));
}

function axisTerms(axis: Axis | null, upward: boolean, start: number): AxisTerms | null {
  if (!axis) return null;
  const [lo, hi] = boundsOf(axis, upward);
  const zero = axis.levels[0] >= 0;
  const { name, levels, names } = axis;
  const natural = (axis.natural ?? axis.spacing) === 'linear';
  const scales: AxisScale[] = natural ? ['linear', 'log'] : ['log', 'linear'];
  return {
    name,
    lo: zero ? Math.max(lo, 0) : lo,
    hi,
    levels,
    ...(names ? { names } : {}),
    start,
    scales: names ? [] : mayBeLog(axis) ? scales : ['linear'],
  };
}

const modelTerms = (b: Binding): ModelTerms => ({
  id: b.model.id,
  sliders: b.terms.map((t) => ({ name: t.name, lo: t.domain[0] ?? -1e12, hi: t.domain[1] ?? 1e12 })),
});

const modelsOfSlice = new WeakMap<Slice, (measure: string) => readonly ModelTerms[]>();

/** Cells are drawn as they are until a model is fitted to them. One that no fit sets says nothing of these cells: it is there to be chosen. */
export function modelsFor(slice: Slice, measure: string): readonly ModelTerms[] {
  let models = modelsOfSlice.get(slice);
  if (!models) {
    models = once((name: string) => modelsThat(slice, name));
    modelsOfSlice.set(slice, models);
  }
  return models(measure);
}

function modelsThat(slice: Slice, measure: string): readonly ModelTerms[] {
  const all = slice.bindings(measure);
  const named = all.map(modelTerms);
  if (slice.cells.length === 0) return named;
  const none: ModelTerms = { id: NO_MODEL, sliders: [] };
  const [first] = all;
  const preferred =
    first !== undefined && slice.fits && isCost(measure) && fittedAs(first.model) !== null && fromCells(first) > 0;
  return preferred ? [...named, none] : [none, ...named];
}

const isRatio = (name: string): boolean => name.startsWith('packets_per') || name.endsWith('_hz');

/** An axis without the settings that a slice has no cells at: facets that share it need not all have every setting. */
function settled(axis: Axis | null, cells: readonly Cell[]): Axis | null {
  if (!axis) return null;
  const there = new Set(cells.map((c) => positionOn(axis, c.factors[axis.name])));
  const levels = axis.levels.filter((v) => there.has(v));
  return levels.length === axis.levels.length ? axis : { ...axis, levels, natural: axis.natural ?? axis.spacing };
}

function throughCells(slice: Slice, points: readonly Point[], measure: string): Field | null {
  const { layout: whole, cells, toCome } = slice;
  if (points.length < 2 || isNominal(whole.x) || isNominal(whole.y)) return null;
  const wider = whole.facet !== null || toCome.length > 0;
  const layout = wider ? { x: settled(whole.x, cells), y: settled(whole.y, cells) } : whole;
  return fieldOf(
    layout,
    points.map((p) => ({ x: p.x, y: p.y, value: p.mean })),
    isRatio(measure),
  );
}

function experimentTerms({ experiment, cells }: Extract<Subject, { of: 'experiment' }>) {
  const byAxes = new Map<string, ReturnType<Terms['choices']>>();
  return {
    factors: axisFactors(experiment).map(({ name, levels }) => ({ name, levels })),
    axes: defaultAxes(experiment),
    choices(axes: Axes) {
      const key = JSON.stringify([axes.x, axes.y]);
      let found = byAxes.get(key);
      if (!found) {
        const where = defaultWhere(experiment, cells, axes);
        found = choicesOf(experiment, axes).map(({ name, levels }) => ({ name, levels, start: where[name] }));
        byAxes.set(key, found);
      }
      return found;
    },
    asked: experiment.default_view?.measure ?? '',
    method: experiment.default_fit?.method,
  };
}

function modelTermsOf(model: BundledModel): ReturnType<typeof experimentTerms> {
  return {
    factors: modelFactors(model).map(({ name }) => ({ name, levels: [] })),
    axes: planeOf(model),
    choices: () => [],
    asked: '',
    method: undefined,
  };
}

export function termsOf(subject: Subject, slices: Slices): Terms {
  const { factors, axes, choices, asked, method } =
    subject.of === 'experiment' ? experimentTerms(subject) : modelTermsOf(subject.model);
  const where = Object.fromEntries(choices(axes).map(({ name, start }) => [name, start]));
  const names = slices({ axes, where }).measures.map((m) => m.name);
  const defaults: ExplorerState = {
    axes,
    where,
    measure: names.includes(asked) ? asked : (names[0] ?? asked),
    surface: 'model',
    figure: 'map',
    turn: START_TURN,
    contrast: 'difference',
    against: null,
    lines: null,
    x: null,
    y: null,
    model: null,
    method: METHODS.find((m) => m === method) ?? METHODS[0],
    base: false,
    frames: 'counted',
    byHand: {},
    pins: [],
    pull: null,
    advice: START_ADVICE,
  };
  return {
    factors,
    defaults,
    choices,
    slice(cut): SliceTerms {
      const slice = slices(cut);
      const start = startsOf(slice, asked);
      return {
        measures: slice.measures.map((m) => m.name),
        x: axisTerms(slice.layout.x, false, start.x),
        y: axisTerms(slice.layout.y, true, start.y),
        models: (measure) => modelsFor(slice, measure),
      };
    },
  };
}

// ---- the picture ---------------------------------------------------------------------------------------------------

export type Mode = 'model' | 'interpolated' | 'cells' | 'blank';

/** One level of the facet: its cells, on the axes and the scales of all. */
export interface Facet {
  readonly level: FactorValue;
  /** The one with the crosshair and the panel. */
  readonly chosen: boolean;
  readonly points: readonly Point[];
}

export interface View {
  readonly kind: Kind | null;
  /** What stands above the lines: what was asked for, where it can be drawn. */
  readonly figure: Figure;
  /** The other experiment of the difference map; null until it is there. */
  readonly partner: Partner | null;
  readonly slice: Slice;
  readonly layout: Layout;
  readonly measure: BundledQuantity;
  readonly points: readonly Point[];
  /** The setting that is recommended, while its section is open. */
  readonly best?: Place | null;
  /** Empty without a facet. */
  readonly facets: readonly Facet[];
  readonly ties: readonly (readonly [Point, Point])[];
  readonly models: readonly Binding[];
  readonly binding: Binding | null;
  /** A model that would be drawn by default, were it not for its fit. */
  readonly turnedDown: { readonly model: BundledModel; readonly why: string } | null;
  readonly field: Field | null;
  readonly mode: Mode;
  readonly fit: Fit | null;
  readonly sliders: readonly Slider[];
  /** Half a pooled interval as a share of the mean, where the cells have no deviation of their own. */
  readonly pooled: number | null;
  /** Why intervals are made of blocks, sessions or rounds, or absent; null where neither is. */
  readonly dependence: string | null;
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

/** Among more cells nobody looks for two that cannot be told apart. */
const MOST_TIED = 2000;

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

function modeOf(
  state: ExplorerState,
  figure: Figure,
  binding: Binding | null,
  field: Field | null,
  waiting: boolean,
): Mode {
  // the other figures have no surface that could be off
  if (state.surface === 'cells' && (figure === 'map' || figure === '3d')) return 'cells';
  if (binding) return waiting ? 'blank' : 'model';
  return field ? 'interpolated' : 'cells';
}

function facetsOf(slices: Slices, { axes, where }: Cut, measure: string, own: readonly Point[]): Facet[] {
  const { layout } = slices({ axes, where });
  const { facet } = layout;
  return (facet?.levels ?? []).flatMap((level): Facet[] => {
    const chosen = level === where[axes.facet];
    if (chosen) return [{ level, chosen, points: own }];
    const { cells } = slices({ axes, where: { ...where, [axes.facet]: level } });
    return cells.length === 0 ? [] : [{ level, chosen, points: pointsOf(layout, cells, {}, measure, null) }];
  });
}

/** The output that says what binds. */
export const LIMITS = 'binding_constraint';

/** Why a figure cannot be drawn over this plane; null where it can. */
export function unavailable(
  figure: Figure,
  view: Pick<View, 'layout' | 'binding' | 'measured' | 'points' | 'field' | 'measure'>,
): string | null {
  if (view.layout.shape !== 'plane') return figure === 'map' ? null : 'needs two axes with several settings each';
  const code = view.measure.meanings.length > 0;
  if (figure === 'limits') {
    if (!view.binding) return 'there is no model to say what binds';
    return LIMITS in view.binding.kernels ? null : 'this model does not say what binds';
  }
  if (figure === 'map') return code ? 'a limit is a name, not a height' : null;
  if (code) return 'a limit is a name, not a number';
  if (figure === '3d') return view.binding || view.points.length > 0 ? null : 'there is no value to stand up';
  if (!view.measured) return 'there are no cells to compare with';
  if (figure === 'residuals') return view.binding ? null : 'there is no model to compare with';
  return null;
}

function figureOf(asked: Figure, view: Parameters<typeof unavailable>[1]): Figure {
  if (unavailable(asked, view) === null) return asked;
  return view.measure.meanings.length > 0 && unavailable('limits', view) === null ? 'limits' : 'map';
}

/** `waiting`: the fit that the sliders start from is on its way. `other`: what the difference map is against. */
export function viewOf(
  subject: Subject,
  slices: Slices,
  state: ExplorerState,
  fit: Fit | null,
  waiting: boolean,
  other: Extract<Subject, { of: 'experiment' }> | null = null,
): View {
  const slice = slices(state);
  const measure =
    [...slice.measures, ...slice.missing].find((m) => m.name === state.measure) ??
    slice.measures[0] ??
    slice.missing[0];
  const asked = bindingOf(slice, state);
  // whoever chose a model, or has moved a slider of it, sees it as it is
  const byDefault = state.model === null && Object.keys(state.byHand).length === 0 && state.pins.length === 0;
  const why = asked && byDefault && subject.of === 'experiment' && fit ? whyNotDrawn(fit) : null;
  const turnedDown = asked && why !== null ? { model: asked.model, why } : null;
  const binding = turnedDown ? null : asked;
  const observed = (subject.of === 'model' && subject.observed) || null;
  const fitted = observed?.fit ?? (binding && fittedAs(binding.model) ? fit : null);
  const pooled = isCost(measure.name) ? pooledShare(fitted) : null;
  const terms = binding?.terms ?? [];
  const sliders = slidersOf(observed ? terms.map((t) => termOver(t, observed)) : terms, fitted, state.byHand);
  const start = Object.fromEntries(sliders.map((s) => [s.name, s.start]));
  const points =
    observed && binding?.output === observed.fit.output
      ? pointsOver(observed, binding, slice.layout, start)
      : pointsOf(slice.layout, slice.cells, {}, measure.name, pooled);
  const field = throughCells(slice, points, measure.name);
  const measured = subject.of === 'experiment' || points.length > 0;
  const figure = figureOf(state.figure, { layout: slice.layout, binding, measured, points, field, measure });
  const mode = modeOf(state, figure, binding, field, waiting && binding !== null && fittedAs(binding.model) !== null);
  const z = coarse(
    { layout: slice.layout, binding, field, mode: binding && !waiting ? 'model' : mode, start },
    state.frames,
  );
  const facets = facetsOf(slices, state, measure.name, points);
  const xBounds = slice.layout.x ? boundsOf(slice.layout.x, false) : NOWHERE;
  const yBounds = slice.layout.y ? boundsOf(slice.layout.y, slice.layout.shape === 'plane') : NOWHERE;
  const found = figure === 'difference' && other ? partnerOf(slice.layout, state.where, measure.name, other) : null;
  // what lies beyond the picture's own settings has nothing to be compared with, and does not stretch its scale
  const within = ({ x, y }: Point): boolean => x >= xBounds[0] && x <= xBounds[1] && y >= yBounds[0] && y <= yBounds[1];
  const partner = found && { ...found, points: found.points.filter(within) };
  // what is compared shares one scale
  const values = valueBounds([...points, ...facets.flatMap((f) => f.points), ...(partner?.points ?? [])], z);
  const valueSpacing = isRatio(measure.name) && values[0] > 0 && values[1] / values[0] > 12 ? 'log' : 'linear';
  const ticks = valueSpacing === 'log' ? decadeTicks(values[0], values[1]) : niceTicks(values[0], values[1], 7);
  return {
    kind: subject.of === 'experiment' ? subject.experiment.kind : (observed?.kind ?? null),
    figure,
    partner,
    slice,
    layout: slice.layout,
    measure,
    points,
    facets,
    ties: points.length > MOST_TIED ? [] : ties(slice.layout, points),
    models: slice.bindings(state.measure),
    binding,
    turnedDown,
    field,
    mode,
    fit: fitted,
    sliders,
    pooled,
    dependence: dependenceOf(subject, measure.name),
    start,
    xBounds,
    yBounds,
    values,
    valueSpacing,
    contours: valueSpacing === 'log' ? ticks : contourLevels(z, ticks, values[0], values[1]),
    measured,
  };
}
