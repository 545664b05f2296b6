// SPDX-License-Identifier: Apache-2.0
// The cells that a model was fitted to, over the model's own axes. No DOM.
import type { Kind, NonlinearFit } from '../api/types';
import type { Binding } from './binding';
import type { ScalarTerm } from './fit';
import type { Axis, Layout, Point } from './layout';
import { predictAt } from './prediction';

export interface Observed {
  readonly kind: Kind;
  readonly fit: NonlinearFit;
}

type Fitted = NonlinearFit['residuals'][number];

/** More settings than that are not ticks. */
const MOST_LEVELS = 10;
const ROOM = 0.04;

const alike = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

const valuesOf = ({ fit }: Observed, input: string): number[] =>
  fit.residuals.flatMap((r) => r.inputs[input] ?? []).sort((a, b) => a - b);

/** The axis with the settings of the cells on it, wide enough for them. */
export function axisOver(axis: Axis, observed: Observed): Axis {
  const found = [...new Set(valuesOf(observed, axis.name))];
  if (found.length === 0) return axis;
  const [first, last] = [found[0], found[found.length - 1]];
  const [lo, hi] = axis.bounds ?? [first, last];
  // where nothing varies the model's own settings say more
  const own = axis.levels.filter((v) => found.length === 1 || (v > first && v < last));
  const merged = [...new Set([first, ...own, last])].sort((a, b) => a - b);
  const levels = found.length === 1 || found.length > MOST_LEVELS ? merged : found;
  const spacing = axis.spacing === 'log' && first <= 0 ? 'linear' : axis.spacing;
  // no mark lies on the edge of the picture
  const room = ROOM * (spacing === 'log' ? 0 : Math.max(hi, last) - Math.min(lo, first));
  const below = first >= 0 ? Math.max(0, first - room) : first - room;
  return { ...axis, levels, spacing, bounds: [Math.min(lo, below), Math.max(hi, last + room)] };
}

/** A slider of an input starts amid what the cells have of it. */
export function termOver(term: ScalarTerm, observed: Observed): ScalarTerm {
  const found = valuesOf(observed, term.name);
  if (found.length === 0) return term;
  const start = found[Math.floor((found.length - 1) / 2)];
  return { ...term, start, lo: Math.min(term.lo, found[0]), hi: Math.max(term.hi, found[found.length - 1]) };
}

/** The model's inputs that sliders hold, in which a cell differs from where they start. */
function differsIn(fitted: Fitted, layout: Layout, theta: Readonly<Record<string, number>>): string[] {
  const axes = [layout.x?.name, layout.y?.name];
  return Object.entries(fitted.inputs)
    .filter(([name, value]) => !axes.includes(name) && name in theta && !alike(value, theta[name]))
    .map(([name]) => name);
}

/** Inputs in which some cells are not on the plane that is drawn. */
export const offPlane = ({ fit }: Observed, layout: Layout, theta: Readonly<Record<string, number>>): string[] => [
  ...new Set(fit.residuals.flatMap((r) => differsIn(r, layout, theta))),
];

/**
 * The cells as points. One that is not on the plane stands as far from the surface, in per cent, as what was observed in it is from
 * what is predicted for it.
 */
export function pointsOver(
  { fit }: Observed,
  binding: Binding,
  layout: Layout,
  theta: Readonly<Record<string, number>>,
): Point[] {
  const at = (axis: Axis | null, inputs: Fitted['inputs']): number | null => (axis ? (inputs[axis.name] ?? null) : 0);
  const points = fit.residuals.flatMap((r): Point[] => {
    const [x, y] = [at(layout.x, r.inputs), at(layout.y, r.inputs)];
    if (x === null || y === null) return [];
    const off = differsIn(r, layout, theta).length > 0 && r.predicted !== 0;
    const mean = off ? (predictAt(binding, x, y, 'counted', theta).total * r.observed) / r.predicted : r.observed;
    const measures = { [binding.output]: { n: r.runs, mean, sd: null, ci95: null } };
    const cell = { id: r.index, factors: r.factors, runs: r.runs, partial_runs: 0, measures };
    return Number.isFinite(mean) ? [{ cell, x, y, n: r.runs, mean, half: null, from: null, partial: false }] : [];
  });
  return points.sort((a, b) => a.y - b.y || a.x - b.x);
}
