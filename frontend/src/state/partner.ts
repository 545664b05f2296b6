// SPDX-License-Identifier: Apache-2.0
// Another experiment's cells, to be set against those of the picture (contrast.ts).
import type { Cell, Experiment, FactorValue, Kind } from '../api/types';
import {
  type Axes,
  type Axis,
  choicesOf,
  defaultAxes,
  defaultWhere,
  delayMicroseconds,
  isDelay,
  isRateOfDelay,
  type Layout,
  matches,
  NONE,
  type Point,
  pointsOf,
} from './layout';

/** Another experiment's cells, at the settings of the picture's own axes. */
export interface Partner {
  readonly slug: string;
  readonly title: string;
  readonly kind: Kind;
  readonly points: readonly Point[];
}

type Data = { readonly experiment: Experiment; readonly cells: readonly Cell[] };

/** The other's factor that an axis of ours stands for, and its levels in our unit, at our own level where they are one. */
function counterpart(mine: Axis, other: Experiment): { name: string; level: (v: FactorValue) => FactorValue } | null {
  const near = (v: number): number => mine.levels.find((l) => Math.abs(v - l) <= 1e-3 * Math.abs(l)) ?? v;
  const level = (scale: (v: number) => number) => (v: FactorValue) => (typeof v === 'number' ? near(scale(v)) : v);
  if (other.factors.some((f) => f.name === mine.name)) return { name: mine.name, level: level((v) => v) };
  if (!isDelay(mine.name) || isRateOfDelay(mine.name)) return null;
  const theirs = other.factors.find((f) => isDelay(f.name));
  if (!theirs) return null;
  const unit = delayMicroseconds(mine.name, 1);
  return { name: theirs.name, level: level((v) => delayMicroseconds(theirs.name, v) / unit) };
}

/** Null where the two do not lie over the same plane. Choices that both have keep their level; what only the other has stands at its default. */
export function partnerOf(
  layout: Layout,
  where: Readonly<Record<string, FactorValue>>,
  measure: string,
  { experiment, cells }: Data,
): Partner | null {
  const [x, y] = [layout.x && counterpart(layout.x, experiment), layout.y && counterpart(layout.y, experiment)];
  if ((layout.x && !x) || (layout.y && !y)) return null;
  const axes: Axes = { ...defaultAxes(experiment), x: x?.name ?? NONE, y: y?.name ?? NONE, facet: NONE };
  const theirs = defaultWhere(experiment, cells, axes);
  for (const { name, levels } of choicesOf(experiment, axes)) {
    const asked = where[name];
    if (asked !== undefined && levels.includes(asked)) theirs[name] = asked;
  }
  const translated = cells
    .filter((c) => matches(c, theirs))
    .map((cell) => {
      const factors = { ...cell.factors };
      for (const [mine, found] of [
        [layout.x, x],
        [layout.y, y],
      ] as const)
        if (mine && found) factors[mine.name] = found.level(cell.factors[found.name]);
      return { ...cell, factors };
    });
  const { slug, title, kind } = experiment;
  return { slug, title, kind, points: pointsOf(layout, translated, {}, measure, null) };
}
