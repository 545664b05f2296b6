// SPDX-License-Identifier: Apache-2.0
// What is looked at: everything on the explorer's screen follows from this and the data.
import type { FactorValue } from '../api/types';
import type { Advice } from './advice';
import type { Contrast, Figure, Turn } from './figure';
import { type Axes, type AxisScale, NONE, type SliceSelection } from './layout';
import type { Pin } from './pins';
import type { Frames } from './prediction';

/** As the server names them, its default first (coalescope_models/inference/methods.py). */
export const METHODS = ['ols', 'ols-hc3', 'wls', 'robust', 'whitened', 'paper-tls'] as const;
export type Method = (typeof METHODS)[number];
export const SURFACES = ['model', 'cells'] as const;
export type Surface = (typeof SURFACES)[number];

export interface ExplorerState extends SliceSelection {
  readonly measure: string;
  readonly surface: Surface;
  readonly figure: Figure;
  /** Where the 3D surface is seen from. */
  readonly turn: Turn;
  /** How the residual and difference maps count. */
  readonly contrast: Contrast;
  /** The experiment that the difference map is against. */
  readonly against: string | null;
  /** Settings of the upward axis whose lines are drawn; null: all. */
  readonly lines: readonly number[] | null;
  /** The crosshair, in the axes' own units or as the place of a level that is text; null: the picture has no such axis. */
  readonly x: number | null;
  readonly y: number | null;
  /** null: the model that suits the measure best. */
  readonly model: string | null;
  readonly method: Method;
  /** Whether what passes without traffic is fitted, too. */
  readonly base: boolean;
  readonly frames: Frames;
  /** Sliders that were moved. */
  readonly overrides: Readonly<Record<string, number>>;
  /** Parameter sets drawn beside the current one. */
  readonly pins: readonly Pin[];
  /** The parameter that a pull moves; null: the one that does most there. */
  readonly pull: string | null;
  /** What a recommendation is asked for. */
  readonly advice: Advice;
}

export interface Choice {
  readonly name: string;
  readonly levels: readonly FactorValue[];
}

/** What an address may say about one experiment, or one model without data. */
export interface ViewSchema {
  /** What may be an axis; with several levels, also a facet. */
  readonly factors: readonly Choice[];
  /** The state an address without parameters means. */
  readonly defaults: ExplorerState;
  /** Given the axes: the factors of which one level is looked at, and the level that each starts at. */
  choices(axes: Axes): readonly (Choice & { readonly start: FactorValue })[];
  /** Given the choices that were made: other cells, other measures and settings. */
  slice(cut: SliceSelection): SliceSchema;
}

export interface AxisSchema {
  readonly name: string;
  readonly lo: number;
  readonly hi: number;
  readonly levels: readonly number[];
  readonly names?: readonly string[];
  readonly start: number;
  /** The scales it can have, the one that suits it first. */
  readonly scales: readonly AxisScale[];
}

/** No model: the surface is drawn through the cells. */
export const NO_MODEL = 'none';

export interface ModelSchema {
  readonly id: string;
  readonly sliders: readonly { readonly name: string; readonly lo: number; readonly hi: number }[];
}

export interface SliceSchema {
  /** With cells here; the first is the default. */
  readonly measures: readonly string[];
  readonly x: AxisSchema | null;
  readonly y: AxisSchema | null;
  /** Models that predict the measure here; the first is the default. */
  models(measure: string): readonly ModelSchema[];
}

/** The values as they go into an address: short, and the same when read back. */
export const shortened = (v: number): number => Number(v.toPrecision(4));

/** The state that an address with nothing but these axes and choices means. */
export function stateFor(schema: ViewSchema, { axes, where }: SliceSelection): ExplorerState {
  const slice = schema.slice({ axes, where });
  const { measure } = schema.defaults;
  return {
    ...schema.defaults,
    axes,
    where,
    measure: slice.measures.includes(measure) || slice.measures.length === 0 ? measure : slice.measures[0],
    x: slice.x?.start ?? null,
    y: slice.y?.start ?? null,
  };
}

/** The axes that were asked for, and the rest: a factor stands on one of them, and what was not asked for gives way. */
export function axesWith(schema: ViewSchema, asked: Partial<Axes>): Axes {
  const own = schema.defaults.axes;
  const free = (name: string, ...taken: (string | undefined)[]): boolean => name !== NONE && !taken.includes(name);
  const others = [own.x, own.y, ...schema.factors.map((f) => f.name)];
  const first = own.x === NONE ? NONE : others.find((name) => free(name, asked.y, asked.facet));
  const x = asked.x ?? first ?? NONE;
  const y = asked.y ?? [own.y, ...(own.y === x ? [own.x] : [])].find((name) => free(name, x, asked.facet)) ?? NONE;
  return {
    x,
    y,
    facet: asked.facet ?? NONE,
    facetLevels: null,
    xScale: asked.xScale ?? null,
    yScale: asked.yScale ?? null,
  };
}

/** The axes after a factor was put on one of them: what stood there takes its place, facets make room. The axis across is never empty. */
export function axesAfter(axes: Axes, at: 'x' | 'y' | 'facet', name: string): Axes {
  const next = moved(axes, at, name);
  return next.facet === axes.facet ? next : { ...next, facetLevels: null };
}

function moved(axes: Axes, at: 'x' | 'y' | 'facet', name: string): Axes {
  if (axes[at] === name) return axes;
  const { x, y, facet, xScale, yScale } = axes;
  if (at === 'x') {
    if (name === y) return { ...axes, x: y, y: x, xScale: yScale, yScale: xScale };
    return { ...axes, x: name, xScale: null, facet: facet === name ? NONE : facet };
  }
  if (name !== NONE && name === x && y === NONE) return axes;
  if (at === 'y') {
    if (name !== NONE && name === x) return { ...axes, x: y, y: x, xScale: yScale, yScale: xScale };
    return { ...axes, y: name, yScale: null, facet: facet === name ? NONE : facet };
  }
  if (name === NONE || (name !== x && name !== y)) return { ...axes, facet: name };
  return name === y
    ? { ...axes, facet: name, y: NONE, yScale: null }
    : { ...axes, facet: name, x: y, xScale: yScale, y: NONE, yScale: null };
}

/** Where the crosshair comes to stand on an axis, if it stood at `value` of another. */
function carried(value: number | null, from: AxisSchema | null, to: AxisSchema | null): number | null {
  if (!to) return null;
  if (value === null || from?.name !== to.name) return to.start;
  if (to.names) {
    const at = to.names.indexOf(from.names?.[value] ?? '');
    return at < 0 ? to.start : at;
  }
  return value >= to.lo && value <= to.hi ? value : to.start;
}

/** Another cut keeps what it can of the view: the measure and the crosshair, where it has them. */
function afterCut(state: ExplorerState, cut: SliceSelection, schema: ViewSchema): ExplorerState {
  const start = stateFor(schema, cut);
  const [before, after] = [schema.slice(state), schema.slice(cut)];
  const axes = [before.x, before.y];
  const keep = (to: AxisSchema | null): number | null => {
    const from = axes.find((a) => a?.name === to?.name) ?? null;
    return carried(from && from === before.x ? state.x : state.y, from, to);
  };
  const sameLines = before.y?.name === after.y?.name && before.y?.levels.length === after.y?.levels.length;
  return {
    ...state,
    axes: cut.axes,
    where: cut.where,
    measure: after.measures.includes(state.measure) ? state.measure : start.measure,
    model: null,
    overrides: {},
    lines: sameLines && cut.axes === state.axes && !after.y?.names ? state.lines : null,
    x: keep(after.x),
    y: keep(after.y),
  };
}

/** The state after another level of one choice. */
export const withLevel = (state: ExplorerState, name: string, level: FactorValue, schema: ViewSchema): ExplorerState =>
  afterCut(state, { axes: state.axes, where: { ...state.where, [name]: level } }, schema);

/** Across and up change places. The same cells under the same model: what was chosen of it stays. */
export function swapped(state: ExplorerState, schema: ViewSchema): ExplorerState {
  const { axes, model, overrides } = state;
  if (axes.x === NONE || axes.y === NONE) return state;
  return { ...withAxes(state, axesAfter(axes, 'x', axes.y), schema), model, overrides };
}

/** The state over other axes. A factor that was an axis, and is one no more, stays at the setting of the crosshair where that was measured. */
export function withAxes(state: ExplorerState, axes: Axes, schema: ViewSchema): ExplorerState {
  const before = schema.slice(state);
  const stood = (axis: AxisSchema | null, value: number | null): [string, string][] =>
    axis && value !== null ? [[axis.name, axis.names?.[value] ?? String(value)]] : [];
  const last = new Map([...stood(before.x, state.x), ...stood(before.y, state.y)]);
  const where = Object.fromEntries(
    schema.choices(axes).map(({ name, levels, start }) => {
      const kept = state.where[name] ?? levels.find((l) => String(l) === last.get(name));
      return [name, kept ?? start];
    }),
  );
  const next = afterCut(state, { axes, where }, schema);
  if (next.measure === state.measure || state.measure === '') return next;
  // nothing was measured there: the levels that an address would start at are better
  const started = Object.fromEntries(schema.choices(axes).map(({ name, start }) => [name, start]));
  return afterCut(state, { axes, where: started }, schema);
}
