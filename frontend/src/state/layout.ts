// SPDX-License-Identifier: Apache-2.0
// How an experiment's cells span a picture: which factor runs across, which runs up, which are chosen.
import { delays, upward } from 'virtual:axes';
import type { Cell, Experiment, Factor, Factors, FactorValue } from '../api/types';
import { type Spacing, spacingOf } from '../plots/scale';

export interface Axis {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  /** The settings, rising; of a factor whose levels are text, their places in `names`. */
  readonly levels: readonly number[];
  readonly spacing: Spacing;
  /** The spacing that suits the settings, where another was asked for. */
  readonly natural?: Spacing;
  /** What the picture shows; without it, the settings and some room around them. */
  readonly bounds?: readonly [number, number];
  /** The levels of a factor that is no number: nothing lies between them. */
  readonly names?: readonly string[];
  /** Nobody sets it: it is the traffic's or the host's. */
  readonly given?: true;
}

/** In the place of a factor: the picture has no such axis, or no facets. */
export const NONE = 'none';

export type AxisScale = 'log' | 'linear';

/** Which factors span the picture, by name or NONE. */
export interface Axes {
  readonly x: string;
  readonly y: string;
  /** One small picture for each of its levels. */
  readonly facet: string;
  /** Those of its levels that stand side by side, the chosen one among them; null: all. */
  readonly facetLevels: readonly FactorValue[] | null;
  /** null: as suits the settings. */
  readonly xScale: AxisScale | null;
  readonly yScale: AxisScale | null;
}

/** How the cells are cut: the axes, and one level of each factor that is neither. */
export interface SliceSelection {
  readonly axes: Axes;
  readonly where: Readonly<Record<string, FactorValue>>;
}

/** Two settings make no curve: between them it would show the bend of the scale, and nothing of the data. */
export const FEWEST_OF_A_CURVE = 3;

export interface Layout {
  readonly x: Axis | null;
  readonly y: Axis | null;
  /** Factors with several levels beside x and y: one level of each is looked at. A facet has those that stand side by side. */
  readonly choices: readonly Factor[];
  /** The one of the choices whose levels stand beside each other. */
  readonly facet: Factor | null;
  /** `plane`: both axes have several settings. `line`: one of them has. `point`: neither. */
  readonly shape: 'plane' | 'line' | 'point';
  /** Of a line: the axis with several settings; it runs across. */
  readonly across: 'x' | 'y';
}

/** Whether it is a way to ask for an interrupt delay. */
export const isDelay = (name: string): boolean => Object.hasOwn(delays, name);

/** Microseconds of coalescing that a setting of a delay factor stands for. */
export function delayMicroseconds(name: string, value: number): number {
  const [scale, power] = delays[name];
  return power < 0 ? scale / value : scale * value;
}

/** Whether it asks for a rate: the larger, the shorter the delay. */
export const isRateOfDelay = (name: string): boolean => isDelay(name) && delays[name][1] < 0;

const numeric = (f: Factor): boolean => f.levels.length > 0 && f.levels.every((v) => typeof v === 'number');

export function matches(cell: Cell, where: Factors): boolean {
  return Object.entries(where).every(([name, value]) => cell.factors[name] === value);
}

/** Where a factor's level stands on its axis; null where it has no place there. */
export function positionOn(axis: Axis, level: FactorValue | undefined): number | null {
  if (!axis.names) return typeof level === 'number' ? level : null;
  const at = axis.names.indexOf(String(level));
  return at < 0 ? null : at;
}

/** The level at a place of an axis, as an address and a table say it. */
export const levelAt = (axis: Pick<Axis, 'names'>, value: number): string =>
  axis.names ? (axis.names[value] ?? '') : String(value);

/** Whether nothing lies between the settings of an axis that has several. */
export const isNominal = (axis: Axis | null): boolean => axis?.names !== undefined && axis.levels.length > 1;

/** A logarithmic axis needs two settings above zero, and none below. */
export const mayBeLog = (axis: Pick<Axis, 'levels' | 'names'>): boolean =>
  !axis.names && axis.levels.every((v) => v >= 0) && axis.levels.filter((v) => v > 0).length > 1;

/** The axis with the scale that was asked for, if it can have it. */
export function scaled(axis: Axis, scale: AxisScale | null): Axis {
  if (scale === null || axis.names || (scale === 'log' && !mayBeLog(axis))) return axis;
  const logs = axis.levels[0] > 0 ? 'log' : 'log-from-zero';
  const spacing: Spacing = scale === 'linear' ? 'linear' : logs;
  return spacing === axis.spacing ? axis : { ...axis, spacing, natural: axis.spacing };
}

/** Running numbers and small counts of one's own, 4, 5, 6 …: nothing lies between two of them. */
function isRunningNumber({ name, unit, levels }: Pick<Factor, 'name' | 'unit' | 'levels'>): boolean {
  const numbers = levels.filter((v): v is number => Number.isInteger(v)).sort((a, b) => a - b);
  const own = name.startsWith('factor.') && unit === '';
  return own && numbers.length === levels.length && numbers.length > 2 && numbers.every((v, i) => v === numbers[0] + i);
}

function axisOf(factor: Factor | undefined, cells: readonly Cell[], scale: AxisScale | null): Axis | null {
  if (!factor) return null;
  const { name, label, unit } = factor;
  const given = factor.choice ? {} : ({ given: true } as const);
  const found = new Set(cells.map((c) => c.factors[name]));
  if (!numeric(factor) || isRunningNumber(factor)) {
    const names = factor.levels.filter((v) => found.has(v)).map(String);
    const levels = names.map((_, i) => i);
    if (names.length === 0) return null;
    return { name, label, unit, levels, names, spacing: 'linear', bounds: [-0.5, names.length - 0.5], ...given };
  }
  const levels = [...found].filter((v): v is number => typeof v === 'number').sort((a, b) => a - b);
  if (levels.length === 0) return null;
  return scaled({ name, label, unit, levels, spacing: spacingOf(levels, isDelay(name)), ...given }, scale);
}

/** The axes that an experiment opens with, as the server chose them. What stands upward beside a delay does so alone, too. */
export function defaultAxes({ default_view: view }: Experiment): Axes {
  const [x, y] = [view?.x ?? NONE, view?.y ?? NONE];
  const alone = y === NONE && upward.includes(x);
  return { x: alone ? NONE : x, y: alone ? x : y, facet: NONE, facetLevels: null, xScale: null, yScale: null };
}

/** Factors that may be axes: with several levels, or the experiment's own choice. */
export function axisFactors(experiment: Experiment): Factor[] {
  const { x, y } = defaultAxes(experiment);
  return experiment.factors.filter((f) => f.levels.length > 1 || f.name === x || f.name === y);
}

/** Factors that are neither axis and have more than one level. */
export function choicesOf(experiment: Experiment, axes: Axes): Factor[] {
  return experiment.factors.filter((f) => f.name !== axes.x && f.name !== axes.y && f.levels.length > 1);
}

/** The facet's levels in their order, if they are not all: the chosen one is always among them. */
export function facetLevelsOf(
  all: readonly FactorValue[],
  chosen: FactorValue,
  wanted: readonly FactorValue[] | null,
): Axes['facetLevels'] {
  const shown = all.filter((level) => level === chosen || wanted?.includes(level));
  return wanted && shown.length < all.length ? shown : null;
}

/** Facets share their axes: those span the cells of all of them. */
export function layoutOf(experiment: Experiment, cells: readonly Cell[], { axes, where }: SliceSelection): Layout {
  const { [axes.facet]: chosen, ...others } = where;
  const choices = choicesOf(experiment, axes).map((f) => {
    const beside = f.name === axes.facet && facetLevelsOf(f.levels, chosen, axes.facetLevels);
    return beside ? { ...f, levels: [...beside] } : f;
  });
  const facet = choices.find((f) => f.name === axes.facet) ?? null;
  const shown = axes.facetLevels && facet && new Set(facet.levels);
  const here = cells.filter((c) => matches(c, others) && (!shown || shown.has(c.factors[axes.facet])));
  const named = (name: string): Factor | undefined => experiment.factors.find((f) => f.name === name);
  const x = axisOf(named(axes.x), here, axes.xScale);
  const y = axisOf(named(axes.y), here, axes.yScale);
  const [wide, high] = [(x?.levels.length ?? 0) > 1, (y?.levels.length ?? 0) > 1];
  return {
    x,
    y,
    choices,
    facet,
    shape: wide && high ? 'plane' : wide || high ? 'line' : 'point',
    across: wide || !y ? 'x' : 'y',
  };
}

/** The level of every choice: the default view's, else the one with the most cells beside all those. */
export function defaultWhere(experiment: Experiment, cells: readonly Cell[], axes: Axes): Record<string, FactorValue> {
  const out: Record<string, FactorValue> = {};
  const choices = choicesOf(experiment, axes);
  for (const { name, levels } of choices) {
    const asked = experiment.default_view?.where[name];
    if (asked !== undefined && levels.includes(asked)) out[name] = asked;
  }
  let left = cells.filter((cell) => matches(cell, out));
  for (const { name, levels } of choices) {
    if (name in out) continue;
    const count = new Map<FactorValue | undefined, number>();
    for (const cell of left) {
      const level = cell.factors[name];
      count.set(level, (count.get(level) ?? 0) + 1);
    }
    out[name] = [...levels].sort((a, b) => (count.get(b) ?? 0) - (count.get(a) ?? 0))[0];
    left = left.filter((c) => c.factors[name] === out[name]);
  }
  return out;
}

export interface Point {
  readonly cell: Cell;
  /** 0 where the experiment has no such axis. */
  readonly x: number;
  readonly y: number;
  readonly n: number;
  readonly mean: number;
  /** Half the 95 % interval, and where it is from; null with one run, or where nothing is known. */
  readonly half: number | null;
  readonly from: 'replicates' | 'residuals' | null;
  readonly partial: boolean;
}

/**
 * The cells of a slice that have the measure. `pooled`: half the interval per unit of the mean, where cells have no
 * deviation of their own. (Where they have one and no interval, their runs depend on when they were recorded.)
 */
export function pointsOf(
  layout: Layout,
  cells: readonly Cell[],
  where: Factors,
  measure: string,
  pooled: number | null,
): Point[] {
  const points: Point[] = [];
  for (const cell of cells) {
    const found = cell.measures[measure];
    if (!found || !Number.isFinite(found.mean) || !matches(cell, where)) continue;
    const x = layout.x ? positionOn(layout.x, cell.factors[layout.x.name]) : 0;
    const y = layout.y ? positionOn(layout.y, cell.factors[layout.y.name]) : 0;
    if (x === null || y === null) continue;
    const own = found.ci95 ? (found.ci95[1] - found.ci95[0]) / 2 : null;
    const shared = found.sd === null && pooled !== null && found.n > 1 ? pooled * Math.abs(found.mean) : null;
    points.push({
      cell,
      x,
      y,
      n: found.n,
      mean: found.mean,
      half: own ?? shared,
      from: own !== null ? 'replicates' : shared !== null ? 'residuals' : null,
      partial: cell.partial_runs > 0,
    });
  }
  return points.sort((a, b) => a.y - b.y || a.x - b.x);
}

/** Whether two cells can be told apart: their difference against the root sum of squares of their half intervals. */
export function resolved(a: Point, b: Point): boolean {
  if (a.half === null || b.half === null) return true;
  return Math.abs(a.mean - b.mean) > Math.hypot(a.half, b.half);
}

/** Neighbouring settings whose cells are not significantly different. */
export function ties(layout: Layout, points: readonly Point[]): [Point, Point][] {
  const at = new Map(points.map((p) => [`${p.x},${p.y}`, p]));
  const out: [Point, Point][] = [];
  const xs = layout.x?.levels ?? [0];
  const ys = layout.y?.levels ?? [0];
  const join = (a: Point | undefined, b: Point | undefined): void => {
    if (a && b && a.half !== null && b.half !== null && !resolved(a, b)) out.push([a, b]);
  };
  ys.forEach((y, j) => {
    xs.forEach((x, i) => {
      const here = at.get(`${x},${y}`);
      join(here, at.get(`${xs[i + 1]},${y}`));
      join(here, at.get(`${x},${ys[j + 1]}`));
    });
  });
  return out;
}
