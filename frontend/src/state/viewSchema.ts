// SPDX-License-Identifier: Apache-2.0
// What an address may say of a subject, and what it opens with where the address is silent.
import { START_ADVICE } from './advice';
import { boundsOf } from './bounds';
import { type DataSlice, type DataSlices, throughCells } from './dataSlice';
import { type AxisSchema, type ExplorerState, METHODS, NO_MODEL, type SliceSchema, type ViewSchema } from './explorer';
import { START_TURN } from './figure';
import {
  type Axes,
  type Axis,
  type AxisScale,
  axisFactors,
  choicesOf,
  defaultAxes,
  defaultWhere,
  mayBeLog,
  type Point,
} from './layout';
import { modelFactors, planeOf } from './modelAxes';
import type { BundledModel } from './models';
import type { ExperimentSubject, Subject } from './subject';

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
function startsOf(slice: DataSlice, asked: string): { readonly x: number; readonly y: number } {
  const { x, y } = slice.layout;
  const start = { x: x ? startOn(x) : 0, y: y ? startOn(y) : 0 };
  const measure = slice.measures.find((m) => m.name === asked)?.name ?? slice.measures[0]?.name;
  if (!x || !y || x.names || y.names || measure === undefined) return start;
  const points = slice.points(measure);
  if (points.length === 0 || points.some((p) => p.x === start.x && p.y === start.y)) return start;
  if (slice.models(measure)[0]?.id !== NO_MODEL || throughCells(slice, points, measure)) return start;
  const steps = (axis: Axis, a: number, b: number) => Math.abs(axis.levels.indexOf(a) - axis.levels.indexOf(b));
  const away = (p: Point) => steps(x, p.x, start.x) + steps(y, p.y, start.y);
  return points.reduce((a, b) => (away(b) < away(a) ? b : a));
}

function axisTerms(axis: Axis | null, upward: boolean, start: number): AxisSchema | null {
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

function experimentTerms({ experiment, cells }: ExperimentSubject) {
  const byAxes = new Map<string, ReturnType<ViewSchema['choices']>>();
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

export function schemaOf(subject: Subject, slices: DataSlices): ViewSchema {
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
    overrides: {},
    pins: [],
    pull: null,
    advice: START_ADVICE,
  };
  return {
    factors,
    defaults,
    choices,
    slice(cut): SliceSchema {
      const slice = slices(cut);
      const start = startsOf(slice, asked);
      return {
        measures: slice.measures.map((m) => m.name),
        x: axisTerms(slice.layout.x, false, start.x),
        y: axisTerms(slice.layout.y, true, start.y),
        models: slice.models,
      };
    },
  };
}
