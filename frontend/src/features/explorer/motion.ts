// SPDX-License-Identifier: Apache-2.0
// While a slider is in hand: the lines, their names and values, painted on a canvas over the drawing. An SVG element that changes costs style,
// layout and paint, some forty of them more than a frame has. What they show comes to rest as SVG.
import { type Sheet, sheetOn } from '../../layers/canvas';
import type { Shape } from '../../plots/shapes';
import { contourLabels } from './figure/heat';
import { curves, lineLabels, points } from './figure/lines';
import { spotOf, valueTags } from './figure/needle';
import type { Scene } from './picture';

/** Room for what stands a little off the plot. */
const ABOVE = 24;
const BELOW = 12;

export interface Motion {
  /** A hand has taken hold, or the drawing has new measures: what stands still among the lines is painted once. */
  begin(scene: Scene): void;
  paint(scene: Scene): void;
  /** The contours' labels onto the surface. */
  label(scene: Scene, surface: CanvasRenderingContext2D): void;
  end(): void;
}

export function labelsOf({ isolines, view, frame, live }: Scene): Shape[] {
  const { X, Y } = spotOf(view, frame, live);
  return live.z ? contourLabels(isolines, view, frame, { x: X, y: Y ?? -100 }) : [];
}

/** `under`: the drawing's own points, which the lines would lie over. */
export function motionOn(canvas: HTMLCanvasElement, under: SVGGElement): Motion {
  let sheet: Sheet | null = null;
  let putPoints = (): void => undefined;
  return {
    begin({ view, frame, sampler }) {
      const { lines, width } = frame;
      sheet = sheetOn(canvas, { top: lines.top - ABOVE, width, height: lines.height + ABOVE + BELOW });
      putPoints = sheet?.keep(points(view, frame, sampler.series)) ?? putPoints;
      canvas.hidden = false;
      under.style.opacity = '0';
    },
    paint({ view, frame, live, sampler, namesAt }) {
      sheet?.clear();
      sheet?.paint(curves(view, frame, live, sampler));
      putPoints();
      sheet?.paint([...lineLabels(view, frame, live, sampler.lineXs, namesAt), ...valueTags(view, frame, live)]);
    },
    label(scene, surface) {
      const { heat, left } = scene.frame;
      surface.translate(-left, -(heat?.top ?? 0));
      sheet?.paintOn(surface, labelsOf(scene));
    },
    end() {
      canvas.hidden = true;
      under.style.opacity = '';
    },
  };
}
