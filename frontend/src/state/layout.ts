// SPDX-License-Identifier: Apache-2.0
// How an experiment's cells span a picture: which factor runs across, which runs up, which are chosen.
import type { Cell, Experiment, Factor, Factors, FactorValue } from '../api/types';
import { type Spacing, spacingOf } from '../plots/scale';

export interface Axis {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  /** The settings, rising. */
  readonly levels: readonly number[];
  readonly spacing: Spacing;
  /** What the picture shows; without it, the settings and some room around them. */
  readonly bounds?: readonly [number, number];
}

export interface Layout {
  readonly x: Axis | null;
  readonly y: Axis | null;
  /** Factors with several levels beside x and y: one level of each is looked at. */
  readonly choices: readonly Factor[];
  /** `plane`: both axes have several settings. `line`: one of them has. `point`: neither. */
  readonly shape: 'plane' | 'line' | 'point';
  /** Of a line: the axis with several settings; it runs across. */
  readonly across: 'x' | 'y';
}

/** What moves the delay between interrupts, first choice first. */
const DELAYS = ['delay_us', 'delay_ticks', 'moderation_rate_hz'];
export const isDelay = (name: string): boolean => DELAYS.includes(name);

/** Microseconds of coalescing that a setting of a delay factor stands for. */
export function delayMicroseconds(name: string, value: number): number {
  if (name === 'delay_ticks') return value * 1.024;
  return name === 'moderation_rate_hz' ? 1e6 / value : value;
}

const numeric = (f: Factor): boolean => f.levels.length > 0 && f.levels.every((v) => typeof v === 'number');

export function matches(cell: Cell, where: Factors): boolean {
  return Object.entries(where).every(([name, value]) => cell.factors[name] === value);
}

function axisOf(factor: Factor | undefined, cells: readonly Cell[]): Axis | null {
  if (!factor) return null;
  const levels = [...new Set(cells.map((c) => c.factors[factor.name]))].filter(
    (v): v is number => typeof v === 'number',
  );
  if (levels.length === 0) return null;
  levels.sort((a, b) => a - b);
  return {
    name: factor.name,
    label: factor.label,
    unit: factor.unit,
    levels,
    spacing: spacingOf(levels, isDelay(factor.name)),
  };
}

const moreLevels = (a: Factor, b: Factor): number => b.levels.length - a.levels.length;

function across(experiment: Experiment): Factor | undefined {
  const able = experiment.factors.filter(numeric);
  const named = able.find((f) => f.name === experiment.default_view?.x);
  if (named && named.name !== 'mtu_bytes') return named;
  const delay = able.filter((f) => isDelay(f.name)).sort(moreLevels)[0];
  return delay ?? able.filter((f) => f.name !== 'mtu_bytes' && f.levels.length > 1).sort(moreLevels)[0];
}

function upward(experiment: Experiment, x: Factor | undefined): Factor | undefined {
  const able = experiment.factors.filter((f) => numeric(f) && f !== x);
  return (
    able.find((f) => f.name === experiment.default_view?.y) ??
    able.find((f) => f.name === 'mtu_bytes') ??
    able.filter((f) => f.levels.length > 1).sort(moreLevels)[0]
  );
}

/** Factors that are neither axis and have more than one level. */
export function choicesOf(experiment: Experiment): Factor[] {
  const x = across(experiment);
  const y = upward(experiment, x);
  return experiment.factors.filter((f) => f !== x && f !== y && f.levels.length > 1);
}

export function layoutOf(experiment: Experiment, cells: readonly Cell[], where: Factors): Layout {
  const xFactor = across(experiment);
  const yFactor = upward(experiment, xFactor);
  const here = cells.filter((c) => matches(c, where));
  const x = axisOf(xFactor, here);
  const y = axisOf(yFactor, here);
  const [wide, high] = [(x?.levels.length ?? 0) > 1, (y?.levels.length ?? 0) > 1];
  return {
    x,
    y,
    choices: choicesOf(experiment),
    shape: wide && high ? 'plane' : wide || high ? 'line' : 'point',
    across: wide || !y ? 'x' : 'y',
  };
}

/** The level of every choice: the default view's, else the one with the most cells. */
export function defaultWhere(experiment: Experiment, cells: readonly Cell[]): Record<string, FactorValue> {
  const out: Record<string, FactorValue> = {};
  for (const factor of choicesOf(experiment)) {
    const asked = experiment.default_view?.where[factor.name];
    if (asked !== undefined && factor.levels.includes(asked)) {
      out[factor.name] = asked;
      continue;
    }
    const count = (level: FactorValue): number => cells.filter((c) => c.factors[factor.name] === level).length;
    out[factor.name] = [...factor.levels].sort((a, b) => count(b) - count(a))[0];
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

/** The cells of a slice that have the measure. `pooled`: half the interval per unit of the mean, where cells have none. */
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
    const x = layout.x ? cell.factors[layout.x.name] : 0;
    const y = layout.y ? cell.factors[layout.y.name] : 0;
    if (typeof x !== 'number' || typeof y !== 'number') continue;
    const own = found.ci95 ? (found.ci95[1] - found.ci95[0]) / 2 : null;
    const shared = own === null && pooled !== null && found.n > 1 ? pooled * Math.abs(found.mean) : null;
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

/** Neighbouring settings whose cells cannot be told apart. */
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
