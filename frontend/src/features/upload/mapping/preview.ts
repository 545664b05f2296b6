// SPDX-License-Identifier: Apache-2.0
// The table as a picture: the surface where the grid is whole, the cells alone where it is not; never a model.
import type { Cell, Experiment } from '../../../api/types';
import { contourLevels, type Isoline, isolines, trace } from '../../../plots/contours';
import { alike, brief, setting } from '../../../plots/number';
import { makeScale, niceTicks, paddedDomain, type Scale } from '../../../plots/scale';
import { fieldOf } from '../../../state/field';
import { type Axis, defaultAxes, defaultWhere, layoutOf, levelAt, type Point, pointsOf } from '../../../state/layout';

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Surface {
  readonly box: Box;
  readonly z: Float64Array;
  readonly nx: number;
  readonly ny: number;
  readonly lines: readonly Isoline[];
}

export interface Preview {
  readonly points: readonly (Point & { readonly px: number; readonly py: number; readonly share: number })[];
  readonly surface: Surface | null;
  readonly values: readonly [number, number];
  readonly ends: readonly [string, string];
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly xTitle: string;
  /** Without a second factor, the measure stands upward. */
  readonly yTitle: string;
  readonly plane: boolean;
}

const SAMPLES = 65;
const ROWS = 33;
const LEAST_GAP = 34;
const PAD = 0.05;

const title = (axis: Pick<Axis, 'label' | 'unit'>): string => (axis.unit ? `${axis.label}, ${axis.unit}` : axis.label);

function scaleOf(axis: Axis, range: readonly [number, number]): Scale {
  const domain = axis.bounds ?? paddedDomain(axis.levels, axis.spacing, PAD);
  return makeScale(axis.levels, axis.spacing, domain, range);
}

/** The settings that have room for their names. */
function ticksOf(axis: Axis, scale: Scale, least: number): Tick[] {
  const out: Tick[] = [];
  for (const level of axis.levels) {
    const at = scale(level);
    if (out.length === 0 || Math.abs(at - out[out.length - 1].at) >= least)
      out.push({ at, text: axis.names ? levelAt(axis, level) : setting(level) });
  }
  return out;
}

function surfaceOf(x: Axis, y: Axis, points: readonly Point[], scales: readonly [Scale, Scale]): Surface | null {
  const field = fieldOf(
    { x, y },
    points.map((p) => ({ x: p.x, y: p.y, value: p.mean })),
    false,
  );
  if (!field || points.length !== x.levels.length * y.levels.length) return null;
  const [sx, sy] = scales;
  const [x0, x1] = [sx(x.levels[0]), sx(x.levels[x.levels.length - 1])];
  const [y0, y1] = [sy(y.levels[0]), sy(y.levels[y.levels.length - 1])];
  const at = (from: number, to: number, k: number, n: number) => from + ((to - from) * k) / (n - 1);
  const xs = Array.from({ length: SAMPLES }, (_, i) => sx.invert(at(x0, x1, i, SAMPLES)));
  const ys = Array.from({ length: ROWS }, (_, j) => sy.invert(at(y0, y1, j, ROWS)));
  const z = field.fill(xs, ys, new Float64Array(SAMPLES * ROWS));
  const [lo, hi] = [Math.min(...z), Math.max(...z)];
  const lines = isolines(contourLevels(z, niceTicks(lo, hi, 5), lo, hi));
  trace(z, SAMPLES, ROWS, lines);
  return { box: { left: x0, top: y1, width: x1 - x0, height: y0 - y1 }, z, nx: SAMPLES, ny: ROWS, lines };
}

/** Null where no cell has the measure, or nothing was varied. */
export function previewOf(experiment: Experiment, cells: readonly Cell[], measure: string, box: Box): Preview | null {
  const axes = defaultAxes(experiment);
  const where = defaultWhere(experiment, cells, axes);
  const layout = layoutOf(experiment, cells, { axes, where });
  const points = pointsOf(layout, cells, where, measure, null);
  if (points.length === 0) return null;
  const plane = layout.shape === 'plane';
  const across = plane || layout.across === 'x' ? layout.x : layout.y;
  if (!across) return null;
  const means = points.map(({ mean }) => mean);
  const values: [number, number] = [Math.min(...means), Math.max(...means)];
  const sx = scaleOf(across, [box.left, box.left + box.width]);
  const up = plane ? layout.y : null;
  const bottom = box.top + box.height;
  const sy = up
    ? scaleOf(up, [bottom, box.top])
    : makeScale(values, 'linear', paddedDomain(values, 'linear', 0.08), [bottom, box.top]);
  const shown = experiment.measures.find(({ name }) => name === measure);
  const write = alike(values, 3);
  return {
    points: points.map((p) => ({
      ...p,
      px: sx(layout.across === 'x' || plane ? p.x : p.y),
      py: up ? sy(p.y) : sy(p.mean),
      share: values[1] > values[0] ? (p.mean - values[0]) / (values[1] - values[0]) : 0.5,
    })),
    surface: up ? surfaceOf(across, up, points, [sx, sy]) : null,
    values,
    ends: [write(values[0]), write(values[1])],
    xTicks: ticksOf(across, sx, LEAST_GAP),
    yTicks: up ? ticksOf(up, sy, 14) : niceTicks(values[0], values[1], 4).map((v) => ({ at: sy(v), text: brief(v) })),
    xTitle: title(across),
    yTitle: up ? title(up) : shown ? title(shown) : '',
    plane,
  };
}
