// SPDX-License-Identifier: Apache-2.0
// One facet: its cells on the axes, the colours and the height that all facets share.
import type { Factor } from '../../../api/types';
import { makeScale, type Scale } from '../../../plots/scale';
import { line, mark, path, polyline, rect, type Shape } from '../../../plots/shapes';
import type { Facet, View } from '../../../state/view';
import { type Frame, fraction } from '../figure/frame';
import { colourOf, edges } from '../figure/heat';
import { throughRow } from '../figure/live';
import { levelWords, shortName } from '../figure/messages';

/** Which levels stand side by side, and how. */
export function lede({ levels, level_count: all, ...named }: Factor): string {
  const which =
    levels.length < all ? `, ${levels.length} of ${all} levels: the cells of each` : ': the cells of each level';
  return `${shortName(named)}${which}, all on the same axes and scale.`;
}

/** "TCP, 12 cells" */
export function facetWords({ layout }: View, { level, points }: Facet): string {
  const unit = layout.facet?.unit ? ` ${layout.facet.unit}` : '';
  return `${levelWords(level)}${unit} ${cellsWords(points.length)}`;
}

export const cellsWords = (n: number): string => (n === 0 ? 'no cell has this' : `${n} ${n === 1 ? 'cell' : 'cells'}`);

export const SMALL_HEIGHT = 84;
const SAMPLES = 60;
const ROOM = 5;

type Colours = Pick<Frame, 'values' | 'logValues'>;

function tiles(view: View, facet: Facet, width: number, colours: Colours): Shape[] {
  const { x, y } = view.layout;
  if (!x || !y) return [];
  const across = makeScale(x.levels, x.spacing, view.xBounds, [0, width]);
  const up = makeScale(y.levels, y.spacing, view.yBounds, [SMALL_HEIGHT, 0]);
  const ex = edges(x.levels, across, 0, width);
  const ey = edges(y.levels, up, SMALL_HEIGHT, 0);
  const columns = new Map(x.levels.map((v, i) => [v, i]));
  const rows = new Map(y.levels.map((v, j) => [v, j]));
  return facet.points.flatMap((p): Shape[] => {
    const [i, j] = [columns.get(p.x), rows.get(p.y)];
    if (i === undefined || j === undefined) return [];
    const gap = ex[i + 1] - ex[i] > 4 ? 0.5 : 0;
    const [w, h] = [ex[i + 1] - ex[i] - gap, ey[j] - ey[j + 1] - gap];
    return [rect(ex[i], ey[j + 1], Math.max(0.5, w), Math.max(0.5, h), { fill: colourOf(p.mean, colours) })];
  });
}

function lineScales(view: View, width: number): { across: Scale; up: (v: number) => number } {
  const { layout } = view;
  const axis = layout.across === 'x' ? layout.x : layout.y;
  const bounds = layout.across === 'x' ? view.xBounds : view.yBounds;
  const colours = { values: view.values, logValues: view.valueSpacing === 'log' };
  return {
    across: makeScale(axis?.levels ?? [0], axis?.spacing ?? 'linear', bounds, [0, width]),
    up: (v) => SMALL_HEIGHT - ROOM - (SMALL_HEIGHT - 2 * ROOM) * fraction(v, colours),
  };
}

function lineOf(view: View, facet: Facet, width: number): Shape[] {
  const { across, up } = lineScales(view, width);
  const place = (p: { x: number; y: number }): number => across(view.layout.across === 'x' ? p.x : p.y);
  const ink = facet.chosen ? 'var(--ink)' : 'var(--ink-2)';
  const along = throughRow(view.layout, facet.points);
  const out: Shape[] = [];
  if (along) {
    const xs = Array.from({ length: SAMPLES }, (_, i) => (width * i) / (SAMPLES - 1));
    const drawn = xs.map((x) => ({ x, y: up(along(across.invert(x))) })).filter((p) => Number.isFinite(p.y));
    if (drawn.length > 1)
      out.push(
        path(
          polyline(
            drawn.map((p) => p.x),
            drawn.map((p) => p.y),
          ),
          { stroke: ink, 'stroke-width': 1 },
        ),
      );
  }
  for (const p of facet.points) {
    const X = place(p);
    if (p.half !== null) out.push(line(X, up(p.mean - p.half), X, up(p.mean + p.half), { stroke: ink }));
    out.push(mark(view.kind ?? 'measured', X, up(p.mean), 2, { fill: 'var(--ground)', stroke: ink }));
  }
  return out;
}

/** Where the crosshair stands in the chosen facet. */
export function smallNeedle(view: View, at: { x: number | null; y: number | null }, width: number): Shape[] {
  const { layout } = view;
  const crosshair = { stroke: 'var(--crosshair)', 'stroke-width': 1.25 };
  const main = layout.across === 'x' ? at.x : at.y;
  const out: Shape[] = [];
  if (main !== null) {
    const X = lineScales(view, width).across(main);
    out.push(line(X, 0, X, SMALL_HEIGHT, crosshair));
  }
  if (layout.shape === 'plane' && layout.y && at.y !== null) {
    const Y = makeScale(layout.y.levels, layout.y.spacing, view.yBounds, [SMALL_HEIGHT, 0])(at.y);
    out.push(line(0, Y, width, Y, crosshair));
  }
  return out;
}

export function smallShapes(view: View, facet: Facet, width: number): Shape[] {
  const colours = { values: view.values, logValues: view.valueSpacing === 'log' };
  return view.layout.shape === 'plane' ? tiles(view, facet, width, colours) : lineOf(view, facet, width);
}
