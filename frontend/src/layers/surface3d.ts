// SPDX-License-Identifier: Apache-2.0
// A surface seen from aside, on a canvas.
import { resolveTokens } from '../plots/file';
import type { Pen } from '../plots/surface3d';
import { inkOnTide, type SurfaceInk, tide } from '../plots/tide';
import { inksOf } from './inks';

/** Colours of a value's place on its scale, made once. */
const COLOURS: readonly string[] = Array.from({ length: 256 }, (_, k) => tide(k / 255));
const colourAt = (t: number): string => COLOURS[t <= 0 ? 0 : t >= 1 ? 255 : Math.round(t * 255)];

export interface Ink {
  readonly colour: SurfaceInk;
  readonly opacity: number;
}

const INKS: Record<SurfaceInk, { readonly contour: Ink; readonly edge: Ink }> = {
  'var(--on-dark)': {
    contour: { colour: 'var(--on-dark)', opacity: 0.55 },
    edge: { colour: 'var(--on-dark)', opacity: 0.28 },
  },
  'var(--on-bright)': {
    contour: { colour: 'var(--on-bright)', opacity: 0.5 },
    edge: { colour: 'var(--on-bright)', opacity: 0.26 },
  },
};

/** Contours and settings are drawn light or dark, by the ground that they lie on. */
export const inkAt = (t: number): { readonly contour: Ink; readonly edge: Ink } => INKS[inkOnTide(t)];

/** Hatching as the map's (Chart.tsx): stripes of the ground's colour over what it lets through. */
function hatching(context: CanvasRenderingContext2D, ground: string): CanvasPattern | null {
  const scale = 4;
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6 * scale;
  const stripe = tile.getContext('2d');
  if (!stripe) return null;
  stripe.fillStyle = ground;
  stripe.globalAlpha = 0.5;
  stripe.fillRect(0, 0, 1.2 * scale, 6 * scale);
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().rotate(45).scale(1 / scale));
  return pattern;
}

/** How the ground of the page lies over what is not known. */
function veilOf(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D) {
  const ground = getComputedStyle(canvas).getPropertyValue('--ground').trim();
  const mixed = new Map<string, string>();
  return {
    pale(colour: string): string {
      const pale =
        mixed.get(colour) ?? resolveTokens(`color-mix(in srgb, ${colour} 58%, var(--ground))`, { '--ground': ground });
      mixed.set(colour, pale);
      return pale;
    },
    stripes: hatching(context, ground),
  };
}

/** Draws onto `canvas`, whose upper left corner lies at (left, top) of the picture. */
export function paintRelief(
  canvas: HTMLCanvasElement,
  room: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
  draw: (pen: Pen) => void,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = canvas.width / room.width;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio, 0, 0, ratio, -room.left * ratio, -room.top * ratio);
  context.lineJoin = 'round';
  context.lineWidth = 1;
  const inks = inksOf(canvas);
  const segment = (ax: number, ay: number, bx: number, by: number, { colour, opacity }: Ink): void => {
    context.strokeStyle = inks[colour];
    context.globalAlpha = opacity;
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.stroke();
    context.globalAlpha = 1;
  };
  let veil: ReturnType<typeof veilOf> | null = null;
  draw({
    facet(ax, ay, bx, by, cx, cy, dx, dy, level, beyond) {
      if (beyond) veil ??= veilOf(canvas, context);
      const colour = beyond && veil ? veil.pale(colourAt(level)) : colourAt(level);
      context.fillStyle = colour;
      context.beginPath();
      context.moveTo(ax, ay);
      context.lineTo(bx, by);
      context.lineTo(cx, cy);
      context.lineTo(dx, dy);
      context.closePath();
      context.fill();
      // closes the hairline between two facets
      context.strokeStyle = colour;
      context.lineWidth = 0.7;
      context.stroke();
      context.lineWidth = 1;
      if (!beyond || !veil?.stripes) return;
      context.fillStyle = veil.stripes;
      context.fill();
    },
    contour: (ax, ay, bx, by, level) => segment(ax, ay, bx, by, inkAt(level).contour),
    edge: (ax, ay, bx, by, level) => segment(ax, ay, bx, by, inkAt(level).edge),
  });
}
