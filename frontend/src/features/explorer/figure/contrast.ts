// SPDX-License-Identifier: Apache-2.0
// Residual and difference maps: one tile a cell, in the colours of a difference; cells that cannot be told from “no difference” stay pale.
import { diverging, inkOnDiverging, reachOf, roundAbove } from '../../../plots/diverging';
import { brief, decimal, digitsFor } from '../../../plots/number';
import { gathered, LETTER_PX, MIDDLE, mark, path, rect, type Shape, TEXT, TICK, text } from '../../../plots/shapes';
import { againstCell, againstModel, type Contrasted } from '../../../state/contrast';
import type { Contrast } from '../../../state/figure';
import type { View } from '../../../state/view';
import { hairsAbove, ring, spotOf } from './crosshair';
import type { Frame } from './frame';
import { isDense, tileEdges } from './heat';
import type { FrameData } from './live';
import type { MainChart, MainChartScene } from './mainChart';
import { comparisonOf } from './residuals';

interface ContrastScale {
  readonly contrast: Contrast;
  /** The value at the end of the scale; of a ratio, as a factor. */
  readonly bound: number;
  /** Whether some values lie beyond its upper end, and beyond its lower one. */
  readonly over: boolean;
  readonly under: boolean;
}

const magnitude = (value: number, contrast: Contrast): number =>
  contrast === 'ratio' ? Math.abs(Math.log(value)) : Math.abs(value);

/** A round factor above `v` in ln: 1.01, 1.02, 1.05, 1.1 … 2, 5, 10. */
function factorAbove(v: number): number {
  const factor = Math.exp(v);
  return factor < 2 ? 1 + roundAbove(factor - 1) : roundAbove(factor);
}

export function scaleOf(all: readonly Contrasted[], contrast: Contrast): ContrastScale {
  const sizes = all.map((c) => magnitude(c.value, contrast));
  const reach = reachOf(sizes);
  const bound =
    contrast === 'ratio' ? factorAbove(reach) : roundAbove(contrast === 'errors' ? Math.max(reach, 3) : reach);
  const places = all.map(({ value }) => placeOn({ contrast, bound }, value));
  return { contrast, bound, over: places.some((t) => t > FULL), under: places.some((t) => t < -FULL) };
}

/** An end of the scale, within what rounding does. */
const FULL = 1 + 1e-9;

/** −1 to 1 within the scale. */
const placeOn = ({ contrast, bound }: Pick<ContrastScale, 'contrast' | 'bound'>, value: number): number =>
  contrast === 'ratio' ? Math.log(value) / Math.log(bound) : value / bound;

/** Cells against the model at the sliders as they stand, or against the other experiment's. */
export function contrastedCells(view: View, live: Pick<FrameData, 'state' | 'theta'>): Contrasted[] {
  const { contrast, frames } = live.state;
  const pooledDf = view.fit?.diagnostics.degrees_of_freedom ?? Number.NaN;
  if (view.figure === 'residuals') {
    // until the fit is here there is nothing to compare with
    if (view.mode === 'blank') return [];
    const comparison = comparisonFor(view, frames);
    const predictions = comparison?.predictions(live.theta);
    return (comparison?.points ?? []).map((p, i) =>
      againstModel(p, predictions?.[i] ?? Number.NaN, contrast, pooledDf),
    );
  }
  const others = new Map(view.partner?.points.map((p) => [`${p.x},${p.y}`, p]));
  return view.points.flatMap((p) => {
    const other = others.get(`${p.x},${p.y}`);
    return other ? [againstCell(p, other, contrast, pooledDf)] : [];
  });
}

const comparisons = new WeakMap<View, Map<string, ReturnType<typeof comparisonOf>>>();

/** A view's models are prepared once, not in every frame. */
function comparisonFor(view: View, frames: 'counted' | 'full'): ReturnType<typeof comparisonOf> {
  const known = comparisons.get(view) ?? new Map();
  comparisons.set(view, known);
  if (!known.has(frames)) known.set(frames, comparisonOf(view, frames));
  return known.get(frames) ?? null;
}

const signed = (v: number, digits: number): string => (v > 0 ? '+' : '') + decimal(v, digits);

/** "+12", "× 0.98", "−2.1" standard errors. */
function contrastWords(value: number, scale: ContrastScale): string {
  if (!Number.isFinite(value)) return '–';
  if (scale.contrast === 'errors') return signed(value, Math.abs(value) < 100 ? 1 : 0);
  if (scale.contrast === 'ratio') return `×${decimal(value, Math.min(4, digitsFor(scale.bound - 1)))}`;
  return signed(value, digitsFor(scale.bound));
}

/** The words at the ends of the scale. */
export const sides = (view: View): readonly [string, string] =>
  view.figure === 'residuals' ? ['above', 'below'] : ['more', 'less'];

const SLICES = 40;

function bar(view: View, frame: Frame, scale: ContrastScale): Shape[] {
  const { heat, left, plotWidth } = frame;
  if (!heat) return [];
  const x = left + plotWidth + 10;
  const [top, height] = [heat.top + 18, heat.height - 36];
  const step = height / SLICES;
  const out: Shape[] = [];
  for (let k = 0; k < SLICES; k++)
    out.push(rect(x, top + k * step, 8, step + 0.5, { fill: diverging(1 - (2 * k + 1) / SLICES) }));
  out.push(rect(x + 0.5, top + 0.5, 7, height - 1, { fill: 'none', stroke: 'var(--line-3)' }));
  for (const t of [1, 0.5, 0, -0.5, -1]) {
    const y = top + ((1 - t) / 2) * height;
    const value = scale.contrast === 'ratio' ? scale.bound ** t : t * scale.bound;
    const words =
      scale.contrast === 'ratio'
        ? `×${brief(value, scale.bound < 1.2 ? 4 : value < 1 ? 2 : 3)}`
        : (t > 0 ? '+' : '') + brief(value, 3);
    const beyond = t === 1 && scale.over ? '≥ ' : t === -1 && scale.under ? '≤ ' : '';
    out.push(text(x + 12, y, beyond + words, { dy: '0.33em', ...TICK }));
  }
  const [over, under] = sides(view);
  out.push(text(x, top - 8, over, { ...TICK, 'font-weight': 600, fill: 'var(--ink)' }));
  out.push(text(x, top + height + 16, under, { ...TICK, 'font-weight': 600, fill: 'var(--ink)' }));
  return out;
}

interface Tile {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function tilesOf(view: View, frame: Frame): (x: number, y: number) => Tile | null {
  const { x, y } = view.layout;
  const edges = tileEdges(view, frame);
  return (px, py) => {
    const i = x?.levels.indexOf(px) ?? -1;
    const j = y?.levels.indexOf(py) ?? -1;
    if (!edges || i < 0 || j < 0) return null;
    const [ex, ey] = edges;
    return { x: ex[i], y: ey[j + 1], width: ex[i + 1] - ex[i] - 1, height: ey[j] - ey[j + 1] - 1 };
  };
}

const PALE = 0.2;

function tileShapes(scene: MainChartScene, all: readonly Contrasted[], scale: ContrastScale) {
  const { view, frame } = scene;
  const at = tilesOf(view, frame);
  const areas: Shape[] = [];
  const cells: Shape[] = [];
  const kind = view.kind ?? 'measured';
  for (const c of all) {
    const { point, value, judged } = c;
    const tile = at(point.x, point.y);
    if (!tile || !frame.y) continue;
    const t = placeOn(scale, value);
    const significant = judged !== 'same' && Number.isFinite(t);
    // are not significantly different: a faint tint of its side
    const fill = significant ? t : Number.isFinite(t) ? PALE * Math.max(-1, Math.min(1, t)) : 0;
    areas.push(rect(tile.x, tile.y, tile.width, tile.height, { fill: diverging(fill) }));
    if (!significant)
      areas.push(
        rect(tile.x + 2.5, tile.y + 2.5, tile.width - 5, tile.height - 5, {
          fill: 'none',
          stroke: 'var(--line-3)',
          'stroke-dasharray': '2 3',
        }),
      );
    const ink = significant ? inkOnDiverging(t) : 'var(--ink-2)';
    const [X, Y] = [frame.x(point.x), frame.y(point.y)];
    const words = contrastWords(value, scale);
    const roomy = tile.width > words.length * LETTER_PX.name + 2 && tile.height > 40;
    cells.push(
      mark(kind, X, Y, frame.phone ? 2.5 : 3, {
        fill: judged === 'unjudged' || kind === 'simulated' ? 'none' : ink,
        stroke: ink,
        'stroke-width': 1.25,
      }),
    );
    if (roomy)
      cells.push(
        text(X, Y + 19, words, {
          ...MIDDLE,
          'font-size': TEXT.label,
          'font-weight': significant ? 600 : 400,
          fill: ink,
        }),
      );
  }
  // settings without a counterpart have nothing to compare
  const compared = new Set(all.map((c) => c.point));
  for (const p of view.points)
    if (!compared.has(p) && frame.y)
      cells.push(mark(kind, frame.x(p.x), frame.y(p.y), 2.5, { fill: 'none', stroke: 'var(--line-3)' }));
  if (!isDense(view, frame)) return { areas, cells };
  // a raster: tiles of one colour are one path, and no mark has room
  const paths = areas
    .filter(({ attributes }) => attributes.fill !== 'none')
    .map(({ attributes: { x, y, width, height, fill } }) =>
      path(`M${x} ${y}h${Number(width) + 1}v${Number(height) + 1}h${-Number(width) - 1}Z`, { fill }),
    );
  return { areas: gathered(paths), cells: [] };
}

export const contrastMap: MainChart = {
  shapes(scene) {
    const { view, frame, live } = scene;
    const all = contrastedCells(view, live);
    const scale = scaleOf(all, live.state.contrast);
    const { heat, left, plotWidth } = frame;
    const spot = spotOf(view, frame, live);
    return {
      under: heat
        ? [rect(left + 0.5, heat.top + 0.5, plotWidth - 1, heat.height - 1, { fill: 'none', stroke: 'var(--line)' })]
        : [],
      hairs: hairsAbove(frame, spot),
      crosshair: [...ring(spot), ...(all.length === 0 ? [] : bar(view, frame, scale))],
      ...tileShapes(scene, all, scale),
    };
  },
};
