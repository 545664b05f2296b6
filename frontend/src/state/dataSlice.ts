// SPDX-License-Identifier: Apache-2.0
// One setting of the choices: its cells, what was measured in them, which models can be drawn over them.
import type { Cell, Experiment, FactorValue, MeasureOf } from '../api/types';
import { type Binding, bindings, fromCells, type Ground, type MeasurePoints, type Unbound, unbound } from './binding';
import { type ExplorerState, type ModelSchema, NO_MODEL } from './explorer';
import { type Field, fieldOf } from './field';
import {
  type Axis,
  FEWEST_OF_A_CURVE,
  isNominal,
  type Layout,
  layoutOf,
  matches,
  type Point,
  pointsOf,
  positionOn,
  type SliceSelection,
  scaled,
} from './layout';
import { modelAxis, modelFactors } from './modelAxes';
import { type BundledQuantity, type Catalogue, fittedAs, isCost, isRatio } from './models';
import { axisOver } from './observed';
import { type Place, placesToCome } from './planned';
import type { ExperimentSubject, ModelSubject, Subject } from './subject';

/** Said to be missing where they are: every experiment of this kind is asked for them. */
export const EXPECTED = ['packets_per_interrupt', 'throughput_mbps', 'rx_interrupt_rate_hz', 'system_cpu_percent'];

type Named = { readonly name: string };

/** One setting of the choices: its cells, how they span the picture, what was measured in them. */
export interface DataSlice {
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
  /** What can be chosen for a measure, first what is drawn unless another is asked for. */
  models(measure: string): readonly ModelSchema[];
  /** Models about a measure that cannot be drawn here, and why. */
  unbound(measure: string): readonly Unbound[];
}

/** Every cut has its slice. */
export type DataSlices = (cut: SliceSelection) => DataSlice;

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
function commonLevels(experiment: Experiment, { axes, where }: SliceSelection): Record<string, FactorValue> {
  const still = experiment.factors.filter((f) => f.levels.length === 1 && f.name !== axes.x && f.name !== axes.y);
  return { ...Object.fromEntries(still.map((f) => [f.name, f.levels[0]])), ...where };
}

const OVER_THE_LINK = ['throughput_mbps', 'tx_throughput_mbps', 'goodput_mbps'];

/** In whatever slice: the link is that of all. */
function fastestOf(cells: readonly Cell[]): number {
  return cells.reduce((most, { measures }) => {
    const known = OVER_THE_LINK.map((name) => measures[name]?.mean ?? 0);
    return Math.max(most, ...known);
  }, 0);
}

const modelTerms = (b: Binding): ModelSchema => ({
  id: b.model.id,
  sliders: b.terms.map((t) => ({ name: t.name, lo: t.domain[0] ?? -1e12, hi: t.domain[1] ?? 1e12 })),
});

/**
 * Cells are drawn as they are until a model is fitted to them. One that no fit sets says nothing of these cells: it is there to be
 * chosen.
 */
function choicesBeside(
  cells: readonly Cell[],
  all: readonly Binding[],
  measure: string,
  fits: boolean,
): readonly ModelSchema[] {
  const named = all.map(modelTerms);
  if (cells.length === 0) return named;
  const none: ModelSchema = { id: NO_MODEL, sliders: [] };
  const [first] = all;
  const preferred =
    first !== undefined && fits && isCost(measure) && fittedAs(first.model) !== null && fromCells(first) > 0;
  return preferred ? [...named, none] : [none, ...named];
}

function experimentSlice(subject: ExperimentSubject, cut: SliceSelection, catalogue: Catalogue): DataSlice {
  const { experiment } = subject;
  const cells = subject.cells.filter((c) => matches(c, cut.where));
  const planned = subject.planned ?? [];
  const layout = layoutOf(experiment, [...subject.cells, ...planned], cut);
  const points = once((measure: string) => pointsOf(layout, cells, {}, measure, null));
  const all: readonly (BundledQuantity | MeasureOf)[] = experiment.measures;
  const isMeasured = ({ name }: Named) => points(name).length > 0;
  const measures = all.filter(isMeasured);
  const levels = commonLevels(experiment, cut);
  const ground: Ground = { layout, levels, points, fastest_mbps: fastestOf(subject.cells) };
  const expected = catalogue.quantities.filter((q) => EXPECTED.includes(q.name) && !all.some((m) => m.name === q.name));
  const missing = [...all.filter((m) => !isMeasured(m)), ...expected];
  const fits = !subject.opened;
  const bound = once((measure: string) => bindings(catalogue, ground, measure));
  return {
    layout,
    cells,
    toCome: placesToCome(layout, cut.where, planned, cells),
    fits,
    measures,
    missing,
    cellsOf: (measure) => points(measure).length,
    points,
    bindings: bound,
    models: once((measure: string) => choicesBeside(cells, bound(measure), measure, fits)),
    unbound: once((measure: string) => unbound(catalogue, ground, measure)),
  };
}

function modelSlice({ model, observed }: ModelSubject, catalogue: Catalogue, { axes }: SliceSelection): DataSlice {
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
  const bound = once((measure: string) => bindings(catalogue, ground, measure).filter((b) => b.model.id === model.id));
  return {
    layout,
    cells: [],
    toCome: [],
    fits: false,
    measures: model.outputs,
    missing: [],
    cellsOf: () => 0,
    points: () => [],
    bindings: bound,
    models: once((measure: string) => bound(measure).map(modelTerms)),
    unbound: () => [],
  };
}

/** Slices are asked for again and again: each is made once. */
export function slicesOf(subject: Subject, catalogue: Catalogue): DataSlices {
  const byKey = new Map<string, DataSlice>();
  return ({ axes, where }) => {
    const key = JSON.stringify([axes.x, axes.y, axes.facet, axes.facetLevels, axes.xScale, axes.yScale, where]);
    let slice = byKey.get(key);
    if (!slice) {
      const cut = { axes, where };
      slice = subject.of === 'model' ? modelSlice(subject, catalogue, cut) : experimentSlice(subject, cut, catalogue);
      byKey.set(key, slice);
    }
    return slice;
  };
}

/** An axis without the settings that a slice has no cells at: facets that share it need not all have every setting. */
function settled(axis: Axis | null, cells: readonly Cell[]): Axis | null {
  if (!axis) return null;
  const there = new Set(cells.map((c) => positionOn(axis, c.factors[axis.name])));
  const levels = axis.levels.filter((v) => there.has(v));
  return levels.length === axis.levels.length ? axis : { ...axis, levels, natural: axis.natural ?? axis.spacing };
}

/** Values between the cells; null where nothing is drawn there. */
export function throughCells(slice: DataSlice, points: readonly Point[], measure: string): Field | null {
  const { layout: whole, cells, toCome } = slice;
  if (points.length < 2 || isNominal(whole.x) || isNominal(whole.y)) return null;
  const across = new Set(points.map((p) => (whole.across === 'x' ? p.x : p.y)));
  if (whole.shape === 'line' && across.size < FEWEST_OF_A_CURVE) return null;
  const wider = whole.facet !== null || toCome.length > 0;
  const layout = wider ? { x: settled(whole.x, cells), y: settled(whole.y, cells) } : whole;
  // the first row of a plane says nothing of the others
  if (layout.x?.levels.length === 1 || layout.y?.levels.length === 1) return null;
  return fieldOf(
    layout,
    points.map((p) => ({ x: p.x, y: p.y, value: p.mean })),
    isRatio(measure),
  );
}

/** Which binding the state asks for. */
export function bindingOf(slice: DataSlice, state: Pick<ExplorerState, 'measure' | 'model'>): Binding | null {
  const id = state.model ?? slice.models(state.measure)[0]?.id;
  return slice.bindings(state.measure).find((b) => b.model.id === id) ?? null;
}
