// SPDX-License-Identifier: Apache-2.0
// What stands above the lines instead of the surface in colour.
import type { Shape } from '../../../plots/shapes';
import type { Figure } from '../../../state/figure';
import type { View } from '../../../state/view';
import type { Frame } from './frame';
import type { Live, Sampler } from './live';

export interface UpperScene {
  readonly view: View;
  readonly frame: Frame;
  readonly sampler: Sampler;
  readonly live: Live;
}

export interface UpperShapes {
  /** Behind the canvas. */
  readonly behind?: Shape[];
  readonly under: Shape[];
  /** Under the needle's hairs. */
  readonly areas: Shape[];
  readonly hairs: Shape[];
  readonly cells: Shape[];
  /** The needle's ring and words. */
  readonly needle: Shape[];
}

export interface Upper {
  shapes(scene: UpperScene): UpperShapes;
  /** The surface onto a canvas that lies over the upper plot. */
  paint?(scene: UpperScene, canvas: HTMLCanvasElement): void;
  /** The same as shapes, for files. */
  painted?(scene: UpperScene): Shape[];
}

export type Uppers = Readonly<Record<Exclude<Figure, 'map'>, Upper>>;

/** Where the canvas lies: a surface seen from aside has the margins too. */
export const canvasRoom = (figure: Figure, frame: Frame) => {
  const { heat, left, plotWidth, width } = frame;
  if (!heat) return null;
  return figure === '3d'
    ? { left: 0, top: heat.top, width, height: heat.height }
    : { left, top: heat.top, width: plotWidth, height: heat.height };
};
