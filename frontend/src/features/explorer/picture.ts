// SPDX-License-Identifier: Apache-2.0
// The pair of plots as one drawing that follows the state. What stands still is drawn when the view or the size changes; a frame
// draws the surface, the curves and the needle only.

import { type SurfaceLayer, surfaceLayer } from '../../layers/surface';
import { draw } from '../../layers/svg';
import { type Isoline, isolines, trace } from '../../plots/contours';
import type { Shape } from '../../plots/shapes';
import type { ExplorerState } from '../../state/explorer';
import { shortened } from '../../state/explorer';
import type { Axis } from '../../state/layout';
import type { Slices, View } from '../../state/view';
import { type Frame, frameOf } from './figure/frame';
import { cells, contourLabels, underCells, upwardAxis } from './figure/heat';
import { axes, curves, grid, labelPlace, lineLabels, points } from './figure/lines';
import { GRID, type Live, type Sampler, samplerOf, seriesOf } from './figure/live';
import { hairs, needle, spotOf } from './figure/needle';
import { pinnedContours, pinnedLines } from './figure/pinned';

/** Groups from the bottom up. */
export const LAYERS = [
  'under',
  'pinnedContours',
  'contours',
  'grid',
  'hairs',
  'cells',
  'pinned',
  'curves',
  'points',
  'names',
  'axes',
  'needle',
  'pull',
] as const;
export type Layer = (typeof LAYERS)[number];

export interface PictureParts {
  readonly canvas: HTMLCanvasElement;
  readonly svg: SVGSVGElement;
  readonly hit: SVGRectElement;
  readonly layers: Readonly<Record<Layer, SVGGElement>>;
}

export interface Scene {
  readonly view: View;
  readonly frame: Frame;
  readonly sampler: Sampler;
  readonly live: Live;
  readonly isolines: readonly Isoline[];
  /** Where along the lines their names stand. */
  readonly namesAt: number;
}

export interface Picture {
  /** CSS pixels of the room there is. */
  resize(width: number, height: number): void;
  /** Draws the state; returns what the panel shows beside it. */
  render(view: View, state: ExplorerState, slices: Slices): Live | null;
  /** Where a pointer at these client coordinates puts the crosshair. */
  aim(clientX: number, clientY: number, lines: boolean): Partial<Pick<ExplorerState, 'x' | 'y'>>;
  /** Whether the point is on the lower plot. */
  onLines(clientY: number): boolean;
  /** The drawing's corner in client coordinates. */
  origin(): readonly [number, number];
  scene(): Scene | null;
}

const SNAP = 6;

function snapped(axis: Axis, at: (v: number) => number, pixel: number, value: number): number {
  const { levels } = axis;
  // nothing lies between names
  if (axis.names)
    return levels.reduce((a, b) => (Math.abs(at(b) - pixel) < Math.abs(at(a) - pixel) ? b : a), levels[0]);
  const near = levels.find((l) => Math.abs(at(l) - pixel) < SNAP);
  return near ?? shortened(value);
}

const clamp = (v: number, [lo, hi]: readonly [number, number]): number => Math.max(lo, Math.min(hi, v));

/** What stands still. */
export function stillShapes(
  view: View,
  frame: Frame,
  sampler: Sampler,
): Record<'under' | 'pinnedContours' | 'cells' | 'grid' | 'pinned' | 'points' | 'axes', Shape[]> {
  return {
    under: underCells(view, frame),
    pinnedContours: pinnedContours(view, frame, sampler),
    pinned: pinnedLines(frame, sampler),
    cells: cells(view, frame),
    grid: grid(frame),
    points: points(view, frame, sampler.series),
    axes: [...axes(view, frame), ...upwardAxis(view, frame)],
  };
}

/** What follows the pointer. */
export function liveShapes(scene: Scene): Record<'contours' | 'hairs' | 'curves' | 'names' | 'needle', Shape[]> {
  const { view, frame, sampler, live } = scene;
  const spot = spotOf(view, frame, live);
  return {
    contours: live.z ? contourLabels(scene.isolines, view, frame, { x: spot.X, y: spot.Y ?? -100 }) : [],
    hairs: hairs(frame, spot),
    curves: curves(view, frame, live, sampler),
    names: lineLabels(view, frame, live, sampler.lineXs, scene.namesAt),
    needle: needle(view, frame, live),
  };
}

export function createPicture(parts: PictureParts): Picture {
  const { canvas, svg, hit, layers } = parts;
  const room = { width: 0, height: 0 };
  const surface: SurfaceLayer = surfaceLayer(canvas);
  let key: readonly unknown[] = [];
  let scene: Scene | null = null;
  let levels: Isoline[] = [];

  function place(frame: Frame): void {
    svg.setAttribute('width', String(frame.width));
    svg.setAttribute('height', String(frame.height));
    const top = frame.heat?.top ?? frame.lines.top;
    for (const [name, value] of Object.entries({
      x: frame.left,
      y: top,
      width: frame.plotWidth,
      height: frame.lines.top + frame.lines.height - top,
    }))
      hit.setAttribute(name, String(value));
    const { heat } = frame;
    canvas.hidden = heat === null;
    if (!heat) return;
    canvas.style.left = `${frame.left}px`;
    canvas.style.top = `${heat.top}px`;
    canvas.style.width = `${frame.plotWidth}px`;
    canvas.style.height = `${heat.height}px`;
    surface.resize(frame.plotWidth, heat.height);
  }

  function settle(view: View, state: ExplorerState, slices: Slices, values: readonly [number, number]): Sampler {
    const frame = frameOf(view, values, room.width, room.height);
    const sampler = samplerOf(view, frame, seriesOf(view, state, slices), state.frames, state.pins);
    place(frame);
    for (const [name, shapes] of Object.entries(stillShapes(view, frame, sampler))) draw(layers[name as Layer], shapes);
    levels = isolines(view.contours);
    const live = sampler.live(state);
    scene = {
      view,
      frame,
      sampler,
      live,
      isolines: levels,
      namesAt: labelPlace(frame, live, sampler.lineXs, spotOf(view, frame, live).X),
    };
    return sampler;
  }

  return {
    render(view, state, slices) {
      if (room.width === 0 || room.height === 0) return null;
      const next = [view, room.width, room.height, state.lines, state.frames, state.pins, devicePixelRatio];
      const stale = scene === null || next.some((v, i) => v !== key[i]);
      if (stale) {
        key = next;
        settle(view, state, slices, view.values);
      }
      let now = scene as Scene | null;
      if (!now) return null;
      let live = stale ? now.live : now.sampler.live(state);
      if (live.values[0] !== now.frame.values[0] || live.values[1] !== now.frame.values[1]) {
        live = settle(view, state, slices, live.values).live(state);
        now = scene as Scene;
      }
      scene = { ...now, live };
      if (live.z) {
        trace(live.z, GRID, GRID, levels);
        surface.paint({
          z: live.z,
          nx: GRID,
          ny: GRID,
          values: now.frame.values,
          log: now.frame.logValues,
          isolines: levels,
        });
      } else surface.clear();
      for (const [name, shapes] of Object.entries(liveShapes(scene))) draw(layers[name as Layer], shapes);
      return live;
    },
    aim(clientX, clientY, onLines) {
      if (!scene) return {};
      const { view, frame, live } = scene;
      const box = svg.getBoundingClientRect();
      const [px, py] = [clientX - box.left, clientY - box.top];
      const { x, y, across } = view.layout;
      const axis = frame.across;
      const at = clamp(
        snapped(axis, frame.x, px, frame.x.invert(px)),
        across === 'x' ? bounds(view.xBounds, x?.levels) : bounds(view.yBounds, y?.levels),
      );
      const change: Partial<Record<'x' | 'y', number>> = { [across]: at };
      if (!frame.heat || !frame.y || !y) return change;
      if (!onLines) change.y = clamp(snapped(y, frame.y, py, frame.y.invert(py)), bounds(view.yBounds, y.levels));
      else {
        // on the lines: the nearest of them
        let best = Number.POSITIVE_INFINITY;
        for (const { series, values } of live.curves) {
          const k = Math.round(((px - frame.left) / frame.plotWidth) * (values.length - 1));
          const distance = Math.abs(frame.v(values[Math.max(0, Math.min(values.length - 1, k))]) - py);
          if (series && distance < best) {
            best = distance;
            change.y = series.y;
          }
        }
      }
      return change;
    },
    onLines(clientY) {
      if (!scene?.frame.heat) return true;
      return clientY - svg.getBoundingClientRect().top > scene.frame.heat.top + scene.frame.heat.height;
    },
    origin() {
      const box = svg.getBoundingClientRect();
      return [box.left, box.top];
    },
    scene: () => scene,
    resize(width, height) {
      room.width = width;
      room.height = height;
    },
  };
}

function bounds([lo, hi]: readonly [number, number], levels: readonly number[] = []): [number, number] {
  return [levels[0] >= 0 ? Math.max(lo, 0) : lo, hi];
}
