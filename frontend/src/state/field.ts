// SPDX-License-Identifier: Apache-2.0
// A value at every place of the plane, from values at the cells: monotone cubic in the logarithm of the delay along each row, then
// across the rows. It is drawn as “interpolated”; nothing is fitted.
import { type Curve, monotone } from '../plots/monotone';
import { type Axis, isDelay, isNominal, type Layout } from './layout';

export interface Sample {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

export interface Field {
  at(x: number, y: number): number;
  /** out[j * nx + i] at (xs[i], ys[j]). */
  fill(xs: ArrayLike<number>, ys: ArrayLike<number>, out: Float64Array): Float64Array;
}

/** The coordinate in which an axis is even: ln where it is logarithmic, with a place of its own for zero. */
function evenCoordinate(axis: Axis | null): (v: number) => number {
  // what lies between two cells does not depend on how the picture is scaled
  const spacing = axis?.natural ?? axis?.spacing;
  if (!axis || spacing === 'linear') return (v) => v;
  if (spacing === 'log') return Math.log;
  const least = Math.min(...axis.levels.filter((v) => v > 0));
  const at = Math.log(least);
  const gap = Math.log(3);
  return (v) => (v >= least ? Math.log(v) : at - gap + (gap * v) / least);
}

/** Whether all settings of an axis have a logarithm. */
export const inLogarithm = (axis: Axis | null): boolean => axis !== null && !axis.names && axis.levels[0] > 0;

/**
 * Values between two settings lie evenly in the logarithm wherever there is one, on a linear axis too: what is counted goes with powers of
 * delay and MTU, and a number between two cells must change neither with the scale that is chosen to look at it nor with a setting far
 * away that makes the axis span decades.
 */
const along = (axis: Axis | null): ((v: number) => number) => (inLogarithm(axis) ? Math.log : evenCoordinate(axis));

/** A row through its own cells: one may be missing between two others, never at an end. */
function rowCurve(us: readonly number[], row: readonly number[]): Curve | null {
  const there = row.flatMap((v, i) => (Number.isFinite(v) ? [i] : []));
  if (there[0] !== 0 || there[there.length - 1] !== row.length - 1) return null;
  if (there.some((i, k) => k > 0 && i - there[k - 1] > 2)) return null;
  return monotone(
    there.map((i) => us[i]),
    there.map((i) => row[i]),
  );
}

/** Which axis the rows run along: the delay first, the MTU last, so that a turned picture shows the same values. */
function rowsRunUp({ x, y }: Pick<Layout, 'x' | 'y'>): boolean {
  if (!x || !y) return false;
  const rank = ({ name }: Axis): number => (isDelay(name) ? 0 : name === 'mtu_bytes' ? 2 : 1);
  return rank(y) < rank(x) || (rank(y) === rank(x) && y.name < x.name);
}

/** The field of the same cells with the axes in each other's place. */
function turned(layout: Pick<Layout, 'x' | 'y'>, samples: readonly Sample[], inLogs: boolean): Field | null {
  const inner = fieldOf(
    { x: layout.y, y: layout.x },
    samples.map(({ x, y, value }) => ({ x: y, y: x, value })),
    inLogs,
  );
  return (
    inner && {
      at: (x, y) => inner.at(y, x),
      fill(gx, gy, out) {
        const whole = inner.fill(gy, gx, new Float64Array(out.length));
        for (let i = 0; i < gx.length; i++)
          for (let j = 0; j < gy.length; j++) out[j * gx.length + i] = whole[i * gy.length + j];
        return out;
      },
    }
  );
}

/** Null where the cells leave more open than one setting between two measured ones, or nothing can lie between. `inLogs` for what is a ratio by nature. */
export function fieldOf(layout: Pick<Layout, 'x' | 'y'>, samples: readonly Sample[], inLogs: boolean): Field | null {
  if (isNominal(layout.x) || isNominal(layout.y)) return null;
  if (rowsRunUp(layout)) return turned(layout, samples, inLogs);
  const xs = layout.x?.levels ?? [0];
  const ys = layout.y?.levels ?? [0];
  const known = new Map(samples.map((s) => [`${s.x},${s.y}`, s.value]));
  const logs = inLogs && samples.every((s) => s.value > 0);
  const value = (x: number, y: number): number => {
    const v = known.get(`${x},${y}`) ?? Number.NaN;
    return logs ? Math.log(v) : v;
  };
  const rows = ys.map((y) => xs.map((x) => value(x, y)));
  const u = layout.x ? along(layout.x) : () => 0;
  const w = layout.y ? along(layout.y) : () => 0;
  const us = xs.map(u);
  const ws = ys.map(w);
  const curves: Curve[] = [];
  for (const row of rows) {
    const curve = rowCurve(us, row);
    if (!curve) return null;
    curves.push(curve);
  }
  // beyond the cells a line goes straight on, but never below zero where values cannot be negative
  const least = samples.every((s) => s.value >= 0) ? 0 : Number.NEGATIVE_INFINITY;
  const back = (v: number): number => (logs ? Math.exp(v) : Math.max(least, v));
  const column = (x: number): Curve => {
    const at = u(x);
    return monotone(
      ws,
      curves.map((c) => c(at)),
    );
  };
  return {
    at: (x, y) => back(column(x)(w(y))),
    fill(gx, gy, out) {
      const wy = Array.from(gy, (y) => w(y));
      for (let i = 0; i < gx.length; i++) {
        const c = column(gx[i]);
        for (let j = 0; j < gy.length; j++) out[j * gx.length + i] = back(c(wy[j]));
      }
      return out;
    },
  };
}
