// SPDX-License-Identifier: Apache-2.0
// What binds, over the plane: areas with their names in them.

import { type Region, regionsOf } from '../../../plots/regions';
import { HALO, LETTER_PX, LIVE, MIDDLE, mark, moving, path, rect, type Shape, TEXT, text } from '../../../plots/shapes';
import { LIMITS } from '../../../state/figure';
import { type Prepared, predictAt, prepare } from '../../../state/prediction';
import type { View } from '../../../state/view';
import { hairsAbove, ring, spotOf } from './crosshair';
import type { Frame } from './frame';
import { GRID, type Sampler } from './live';
import type { MainChart, MainChartScene } from './mainChart';
import { patternOf } from './patterns';

/** What the codes stand for. */
export const meaningsOf = (view: View): readonly string[] =>
  view.binding?.model.outputs.find((o) => o.name === LIMITS)?.meanings ?? [];

/** The code at one place; NaN without a model that says it. */
export function limitAt(
  view: View,
  x: number,
  y: number,
  live: Pick<MainChartScene['live'], 'state' | 'theta'>,
): number {
  const { binding } = view;
  if (!binding || !(LIMITS in binding.kernels)) return Number.NaN;
  return predictAt({ ...binding, output: LIMITS, parts: [] }, x, y, live.state.frames, live.theta).total;
}

interface Grid {
  readonly prepared: Prepared;
  key: string;
  regions: Region[];
}

const grids = new WeakMap<Sampler, Grid>();

/** Outlined again when a slider moved, not when the crosshair did. */
function regionsFor({ view, frame, sampler, live }: MainChartScene): Region[] {
  const { binding } = view;
  const { heat, left, plotWidth, y } = frame;
  if (!binding || !heat || !y) return [];
  let grid = grids.get(sampler);
  if (!grid) {
    const at = (k: number): number => k / (GRID - 1);
    const xs = Float64Array.from({ length: GRID }, (_, k) => frame.x.invert(left + plotWidth * at(k)));
    const ys = Float64Array.from({ length: GRID }, (_, k) => y.invert(heat.top + heat.height * (1 - at(k))));
    grid = { prepared: prepare(binding, xs, ys, live.state.frames), key: '', regions: [] };
    grids.set(sampler, grid);
  }
  const key = JSON.stringify(live.theta);
  if (key !== grid.key) {
    grid.key = key;
    grid.regions = regionsOf(grid.prepared.evaluate(LIMITS, live.theta), GRID, GRID);
  }
  return grid.regions;
}

const NAME = { ...MIDDLE, 'font-size': TEXT.name, 'font-weight': 600, fill: 'var(--ink)', ...HALO } as const;

function areas(
  here: number,
  regions: readonly Region[],
  meanings: readonly string[],
  frame: Frame,
): { fills: Shape[]; names: Shape[] } {
  const { heat, left, plotWidth } = frame;
  if (!heat) return { fills: [], names: [] };
  const r = (v: number): number => Math.round(v * 10) / 10;
  const x = (g: number): number => r(left + (g / (GRID - 1)) * plotWidth);
  const y = (g: number): number => r(heat.top + heat.height - (g / (GRID - 1)) * heat.height);
  const fills = regions.map(({ code, rings }) =>
    path(rings.map((ring) => `M${ring.map(([gx, gy]) => `${x(gx)} ${y(gy)}`).join('L')}Z`).join(''), {
      fill: patternOf(code),
      'fill-rule': 'evenodd',
      stroke: 'var(--line-3)',
    }),
  );
  const names = regions
    .filter(({ code }) => code !== here)
    .map(({ code, inmost }) => {
      const words = meanings[code] ?? String(code);
      const half = (words.length * LETTER_PX.digit) / 2;
      const inX = Math.max(left + half + 4, Math.min(left + plotWidth - half - 4, x(inmost[0])));
      const inY = Math.max(heat.top + 14, Math.min(heat.top + heat.height - 6, y(inmost[1]) + 4));
      return text(inX, inY, words, NAME);
    });
  return { fills, names };
}

export const limits: MainChart = {
  shapes(scene) {
    const { view, frame, live } = scene;
    const { heat, left, plotWidth } = frame;
    const spot = spotOf(view, frame, live);
    const meanings = meaningsOf(view);
    // the crosshair names the area that it stands in
    const code = limitAt(view, live.place.x, live.place.y, live);
    const words = meanings[code] ?? '';
    const { fills, names } = areas(code, regionsFor(scene), meanings, frame);

    const rightwards = spot.X < left + plotWidth - 130;
    const said =
      spot.Y === null || !heat
        ? []
        : [
            moving(spot.X + (rightwards ? 15 : -15), Math.max(heat.top + 14, spot.Y - 13), words, {
              ...LIVE,
              ...HALO,
              ...(rightwards ? {} : { 'text-anchor': 'end' }),
            }),
          ];
    return {
      under: heat
        ? [rect(left + 0.5, heat.top + 0.5, plotWidth - 1, heat.height - 1, { fill: 'none', stroke: 'var(--line)' })]
        : [],
      areas: fills,
      hairs: hairsAbove(frame, spot),
      cells: [
        ...(frame.y
          ? view.points.map((p) =>
              mark(view.kind ?? 'measured', frame.x(p.x), (frame.y as Frame['x'])(p.y), 2.5, {
                fill: 'var(--ground)',
                stroke: 'var(--ink-2)',
                'stroke-width': 1.25,
              }),
            )
          : []),
        ...names,
      ],
      crosshair: [...ring(spot), ...said],
    };
  },
};
