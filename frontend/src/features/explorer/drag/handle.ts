// SPDX-License-Identifier: Apache-2.0
// What a pointer takes hold of: a line, the surface, or the handle where the crosshair crosses the current line.
import { decimal } from '../../../plots/number';
import { circle, HALO, line, path, type Shape, TEXT, text } from '../../../plots/shapes';
import type { Slider } from '../../../state/fit';
import { spotOf } from '../figure/crosshair';
import type { Scene } from '../scene';

/** A place of the model's surface, in the axes' own units, and the value there. */
export interface Hold {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

/** Pixels beside the crosshair in which a press moves the crosshair. */
const CROSSHAIR = 10;

const pullable = ({ view }: Scene): boolean => view.mode === 'model' && view.binding !== null;

/** `room`: how near to a line, in pixels. */
export function lineAt(scene: Scene, px: number, py: number, room: number): Hold | null {
  const { view, frame, live, sampler } = scene;
  const { left, plotWidth, lines } = frame;
  if (!pullable(scene) || px < left || px > left + plotWidth) return null;
  if (py < lines.top - room || py > lines.top + lines.height) return null;
  if (Math.abs(px - spotOf(view, frame, live).X) < CROSSHAIR) return null;
  const last = sampler.lineXs.length - 1;
  const k = Math.max(0, Math.min(last, Math.round(((px - left) / plotWidth) * last)));
  let best: Hold | null = null;
  let nearest = room;
  for (const { series, values } of live.own ? [...live.curves, live.own] : live.curves) {
    const value = values[k];
    const distance = Math.abs(frame.v(value) - py);
    if (series?.chosen === false || !(distance <= nearest)) continue;
    nearest = distance;
    const at = sampler.lineXs[k];
    const other = series?.y ?? live.place.y;
    best = view.layout.across === 'x' ? { x: at, y: other, value } : { x: live.place.x, y: at, value };
  }
  return best;
}

/** The surface under a pointer on the upper plot, while that is the map. */
export function surfaceAt(scene: Scene, px: number, py: number): Hold | null {
  const { view, frame, live } = scene;
  const { heat, left, plotWidth } = frame;
  if (!pullable(scene) || view.figure !== 'map' || !heat || !frame.y || !live.z) return null;
  if (px < left || px > left + plotWidth || py < heat.top || py > heat.top + heat.height) return null;
  // only where it is: the value itself comes from the model
  return { x: frame.x.invert(px), y: frame.y.invert(py), value: Number.NaN };
}

/** Where the crosshair crosses the current line, in pixels; null where no model draws one. */
export function handleSpot(scene: Scene): { X: number; Y: number } | null {
  const { view, frame, live } = scene;
  const { lines } = frame;
  if (!pullable(scene) || !Number.isFinite(live.place.value)) return null;
  const Y = frame.v(live.place.value);
  if (!(Y > lines.top - 12 && Y < lines.top + lines.height + 1)) return null;
  return { X: spotOf(view, frame, live).X, Y };
}

const arrows = (X: number, Y: number): string => `M${X - 3} ${Y - 9}l3 -4l3 4M${X - 3} ${Y + 9}l3 4l3 -4`;

/** The handle about its own place. */
export const HANDLE = { radius: 5.5, arrows: arrows(0, 0) };

/** What stands there as an element of its own, for the frames that paint it. */
export function handleShapes(scene: Scene): Shape[] {
  const spot = handleSpot(scene);
  if (!spot) return [];
  const { X, Y } = spot;
  return [
    circle(X, Y, HANDLE.radius, { fill: 'var(--ground)', stroke: 'var(--crosshair)', 'stroke-width': 2 }),
    path(arrows(X, Y), { stroke: 'var(--crosshair)', 'stroke-width': 1.5 }),
  ];
}

/** A value, moved up by pixels of the value scale, and never off the plot. */
export function lifted({ frame }: Scene, value: number, pixels: number): number {
  const { lines, v } = frame;
  return v.invert(Math.max(lines.top, Math.min(lines.top + lines.height - 1, v(value) - pixels)));
}

/** "γ" out of its MathML. */
export const plainSymbol = (slider: Slider): string => slider.symbolMath.replace(/<[^>]*>/g, '').trim();

const moverWords = (slider: Slider, value: number): string => `${plainSymbol(slider)} ${decimal(value, slider.digits)}`;

export interface Pulled {
  readonly hold: Hold;
  readonly slider: Slider;
  readonly from: number;
}

/** While a line is pulled: a tick at the place that is held, and beside it what moves. */
export function pulledShapes(scene: Scene, { hold, slider, from }: Pulled, value: number): Shape[] {
  const { view, frame, live } = scene;
  const X = frame.x(view.layout.across === 'x' ? hold.x : hold.y);
  const Y = frame.v(value);
  const now = live.theta[slider.name];
  const words = `${moverWords(slider, from)} → ${decimal(now, slider.digits)}`;
  const right = X < frame.left + frame.plotWidth / 2;
  return [
    line(X - 9, Y, X + 9, Y, { stroke: 'var(--crosshair)', 'stroke-width': 2 }),
    path(`M${X - 4} ${Y - 6}l4 -5l4 5M${X - 4} ${Y + 6}l4 5l4 -5`, { stroke: 'var(--crosshair)', 'stroke-width': 1.5 }),
    text(X + (right ? 14 : -14), Y - 12, words, {
      'text-anchor': right ? 'start' : 'end',
      'font-size': TEXT.name,
      'font-weight': 600,
      fill: 'var(--crosshair-ink)',
      ...HALO,
    }),
  ];
}
