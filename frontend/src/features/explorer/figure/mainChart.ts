// SPDX-License-Identifier: Apache-2.0
// What stands above the lines instead of the surface in colour.
import type { Shape } from '../../../plots/shapes';
import type { Figure } from '../../../state/figure';
import type { Point } from '../../../state/layout';
import type { View } from '../../../state/view';
import type { Frame } from './frame';
import type { FrameData, Sampler } from './live';

export interface MainChartScene {
  readonly view: View;
  readonly frame: Frame;
  readonly sampler: Sampler;
  readonly live: FrameData;
}

interface MainChartShapes {
  /** Behind the canvas. */
  readonly behind?: Shape[];
  readonly under: Shape[];
  /** Under the crosshair's hairs. */
  readonly areas: Shape[];
  readonly hairs: Shape[];
  readonly cells: Shape[];
  /** The crosshair's ring and words. */
  readonly crosshair: Shape[];
}

export interface MainChart {
  shapes(scene: MainChartScene): MainChartShapes;
  /** Cells and where their marks are, if not as in the flat plot. */
  marks?(scene: MainChartScene): (readonly [Point, number, number])[];
  /** The surface onto a canvas that lies over the upper plot. */
  paint?(scene: MainChartScene, canvas: HTMLCanvasElement): void;
  /** The same as shapes, for files. */
  painted?(scene: MainChartScene): Shape[];
}

export type MainCharts = Readonly<Record<Exclude<Figure, 'map'>, MainChart>>;

/** Where the canvas lies: a surface seen from aside has the margins too. */
export const canvasRoom = (figure: Figure, frame: Frame) => {
  const { heat, left, plotWidth, width } = frame;
  if (!heat) return null;
  return figure === '3d'
    ? { left: 0, top: heat.top, width, height: heat.height }
    : { left, top: heat.top, width: plotWidth, height: heat.height };
};
