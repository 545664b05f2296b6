// SPDX-License-Identifier: Apache-2.0
// While a slider is being dragged: the contours' labels, the lines, their names and values, painted on a canvas over the drawing. An SVG element that
// changes costs style, layout and paint, some forty of them more than a frame has. What they show comes to rest as SVG.
import { type Sheet, sheetOn } from '../../layers/canvas';
import type { Shape } from '../../plots/shapes';
import { handleShapes } from './drag/handle';
import { contourLabels } from './figure/contourLabels';
import { spotOf, valueTags } from './figure/crosshair';
import { floorLine, points, strokes, walk } from './figure/lines';
import type { Sampler } from './figure/live';
import { lineLabels } from './figure/names';
import type { Scene } from './scene';

/** Room for what stands a little off the plot. */
const ABOVE = 24;
const BELOW = 12;

interface DragRenderer {
  /** What does not move among the lines is painted once for a drawing: in idle time, for a drag to find it there. */
  prepare(scene: Scene): void;
  /** A drag begins, or the drawing is another. */
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
  let prepared: Sampler | null = null;
  function prepare({ view, frame, sampler }: Scene): void {
    if (prepared === sampler) return;
    prepared = sampler;
    const { lines, width, heat } = frame;
    const top = heat ? heat.top : lines.top - ABOVE;
    sheet = sheetOn(canvas, { top, width, height: lines.top + lines.height + BELOW - top });
    putPoints = sheet?.keep(points(view, frame, sampler.series)) ?? putPoints;
  }
  return {
    prepare,
    begin(scene) {
      prepare(scene);
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
