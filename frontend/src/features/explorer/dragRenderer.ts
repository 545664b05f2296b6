// SPDX-License-Identifier: Apache-2.0
// While a slider is being dragged: the contours' labels, the lines, their names and values, painted on a canvas over the drawing. An SVG element that
// changes costs style, layout and paint, some forty of them more than a frame has. What they show comes to rest as SVG.
import { type Sheet, sheetOn } from '../../layers/canvas';
import type { Shape } from '../../plots/shapes';
import { handleShapes } from './drag/handle';
import { contourLabels } from './figure/contourLabels';
import { spotOf, valueTags } from './figure/crosshair';
import { floorLine, points, strokes, walk } from './figure/lines';
import { lineLabels } from './figure/names';
import type { Scene } from './scene';

/** Room for what stands a little off the plot. */
const ABOVE = 24;
const BELOW = 12;

interface DragRenderer {
  /** A drag begins, or the drawing has a new size: what does not move among the lines is painted once. */
  begin(scene: Scene): void;
  paint(scene: Scene): void;
  end(): void;
}

export function labelsOf({ isolines, view, frame, live }: Scene): Shape[] {
  const { X, Y } = spotOf(view, frame, live);
  return live.z ? contourLabels(isolines, live.z, view, frame, { x: X, y: Y ?? -100 }) : [];
}

/** `under`: the drawing's own points, which the lines would lie over. */
export function dragRendererOn(canvas: HTMLCanvasElement, under: SVGGElement): DragRenderer {
  let sheet: Sheet | null = null;
  let putPoints = (): void => undefined;
  return {
    begin({ view, frame, sampler }) {
      const { lines, width, heat } = frame;
      const top = heat ? heat.top : lines.top - ABOVE;
      sheet = sheetOn(canvas, { top, width, height: lines.top + lines.height + BELOW - top });
      putPoints = sheet?.keep(points(view, frame, sampler.series)) ?? putPoints;
      canvas.hidden = false;
      under.style.opacity = '0';
    },
    paint(scene) {
      const { view, frame, live, sampler, namesAt } = scene;
      sheet?.paint([...labelsOf(scene), ...floorLine(view, frame, live)]);
      for (const { values, parts, attributes } of strokes(view, live, sampler))
        sheet?.stroke(attributes, (pen) => {
          for (const [from, to] of parts) walk(frame, sampler.pxs, values, from, to, pen);
        });
      putPoints();
      sheet?.paint([
        ...lineLabels(view, frame, live, sampler.lineXs, namesAt),
        ...valueTags(view, frame, live),
        ...handleShapes(scene),
      ]);
      sheet?.show();
    },
    end() {
      canvas.hidden = true;
      under.style.opacity = '';
    },
  };
}
