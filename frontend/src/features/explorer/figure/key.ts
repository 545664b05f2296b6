// SPDX-License-Identifier: Apache-2.0
// What the marks of a picture mean, in words; only those that are in it. No DOM.
import { decimal } from '../../../plots/number';
import type { View } from '../../../state/view';
import { hullOf, reachesBeyond } from './heat';

/** How a kind of cell is drawn. */
export type CellMark = 'replicates' | 'pooled' | 'bare' | 'single';

export function cellMarksOf({ points, pooled, dependence }: View): (readonly [CellMark, string])[] {
  const several = points.filter((p) => p.n > 1);
  const bare = several.filter((p) => p.half === null);
  const marks: (readonly [CellMark, string] | false)[] = [
    several.some((p) => p.from === 'replicates') && ['replicates', 'cell mean, 95 % interval of its runs'],
    several.some((p) => p.from === 'residuals') &&
      pooled !== null && ['pooled', `cell mean, ± ${decimal(100 * pooled, 1)} % pooled from residuals`],
    bare.length > 0 && [
      'bare',
      `cell mean of ${Math.min(...bare.map((p) => p.n))}, ${dependence ? 'no interval' : 'deviation not known'}`,
    ],
    points.some((p) => p.n === 1) && ['single', 'one run, no interval'],
  ];
  return marks.filter((mark) => mark !== false);
}

export const joins = ({ layout, figure, ties }: View): boolean =>
  layout.shape === 'plane' && figure === 'map' && ties.length > 0;

/** The map reaches beyond its cells on every side, a surface from aside where not every setting has one. */
export const extrapolates = (view: View): boolean =>
  view.layout.shape === 'plane' &&
  (view.figure === 'map' ? hullOf(view) !== null : view.figure === '3d' && reachesBeyond(view));

export const JOINED = 'joined: not significantly different';

/** For a file, which has no key beside it. Words of other figures say what their tiles are. */
export function keyOf(view: View): string[] {
  if (view.figure !== 'map' && view.figure !== '3d') return [];
  return [
    ...cellMarksOf(view).map(([, words]) => words),
    view.dependence ?? '',
    joins(view) ? JOINED : '',
    extrapolates(view) ? 'hatched: extrapolated' : '',
  ].filter(Boolean);
}
