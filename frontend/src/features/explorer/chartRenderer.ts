// SPDX-License-Identifier: Apache-2.0
// The pair of plots as one drawing that follows the state. What stands still is drawn when the view or the size changes; a frame
// draws the surface, the curves and the crosshair only, and while a slider is being dragged it paints them (dragRenderer.ts).

import { currentTheme } from '../../components/theme';
import { drawingScale } from '../../layers/scale';
import { type SurfaceLayer, surfaceLayer } from '../../layers/surface';
import { draw } from '../../layers/svg';
import { type Isoline, isolines, trace } from '../../plots/contours';
import type { Shape } from '../../plots/shapes';
import type { DataSlices } from '../../state/dataSlice';
import type { ExplorerState } from '../../state/explorer';
import { shortened } from '../../state/explorer';
import type { Axis } from '../../state/layout';
import type { View } from '../../state/view';
import { dragRendererOn, labelsOf } from './dragRenderer';
import { crosshair, hairBelow, hairs, spotOf } from './figure/crosshair';
import { type Frame, frameOf } from './figure/frame';
import { cells, underCells, upwardAxis } from './figure/heat';
import { mainChartOf } from './figure/lazyMainChart';
import { axes, bars, curves, grid, partnerPoints, points } from './figure/lines';
import { type FrameData, GRID, type Sampler, samplerOf, seriesOf } from './figure/live';
import { canvasRoom } from './figure/mainChart';
import { labelPlace, lineLabels } from './figure/names';
import { pinnedContours, pinnedLines } from './figure/pinned';
import type { Scene } from './scene';

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
  'crosshair',
  'pull',
] as const;
export type Layer = (typeof LAYERS)[number];

export interface ChartParts {
  readonly canvas: HTMLCanvasElement;
  readonly svg: SVGSVGElement;
  readonly hit: SVGRectElement;
  readonly layers: Readonly<Record<Layer, SVGGElement>>;
  /** Over the drawing, for what follows a dragged slider. */
  readonly moving: HTMLCanvasElement;
  /** A drawing of its own behind the canvas. */
  readonly behind: SVGSVGElement;
  /** Draw again: a part of the picture has come. */
  readonly again: () => void;
}

export interface ChartRenderer {
  /** The room there is, in pixels of the drawing. */
  resize(width: number, height: number): void;
  /** Draws the state; returns what the panel shows beside it. `dragging`: a slider is being dragged. */
  render(view: View, state: ExplorerState, slices: DataSlices, dragging?: boolean): FrameData | null;
  /** While a slider is being dragged: the lines and labels of what `render` drew last. */
  follow(): void;
  /** Where a pointer at these client coordinates puts the crosshair. */
  aim(clientX: number, clientY: number, lines: boolean): Partial<Pick<ExplorerState, 'x' | 'y'>>;
  /** Whether the point is on the lower plot. */
  onLines(clientY: number): boolean;
  /** Client coordinates as a place of the drawing. */
  at(clientX: number, clientY: number): [number, number];
  scene(): Scene | null;
}

const SNAP = 6;

/** After a drawing has stood so long, what a drag of it begins with is made: not while a hand moves something else. */
const REST_MS = 250;

function snapped(axis: Axis, at: (v: number) => number, pixel: number, value: number): number {
  const { levels } = axis;
  // nothing lies between names
  if (axis.names)
    return levels.reduce((a, b) => (Math.abs(at(b) - pixel) < Math.abs(at(a) - pixel) ? b : a), levels[0]);
  const near = levels.find((l) => Math.abs(at(l) - pixel) < SNAP);
  return near ?? shortened(value);
}

/** While a slider is dragged to and fro, the scale grows and does not shrink. */
const around = (a: readonly [number, number], b: readonly [number, number]): [number, number] => [
  Math.min(a[0], b[0]),
  Math.max(a[1], b[1]),
];

const clamp = (v: number, [lo, hi]: readonly [number, number]): number => Math.max(lo, Math.min(hi, v));

type Layers<L extends Layer> = Record<L, Shape[]>;

/** What stands still. A figure other than the map draws its own part with what moves. */
export function stillShapes(
  view: View,
  frame: Frame,
  sampler: Sampler,
): Layers<'under' | 'pinnedContours' | 'cells' | 'grid' | 'pinned' | 'points' | 'axes'> {
  const flat = view.figure !== '3d';
  const map = view.figure === 'map';
  return {
    under: map ? underCells(view, frame) : [],
    pinnedContours: map ? pinnedContours(view, frame, sampler) : [],
    pinned: pinnedLines(frame, sampler),
    cells: map ? cells(view, frame) : [],
    grid: grid(frame),
    points: [
      ...bars(view, frame, sampler.series),
      ...partnerPoints(view, frame, sampler.series),
      ...points(view, frame, sampler.series),
    ],
    axes: [...axes(view, frame), ...(flat ? upwardAxis(view, frame) : [])],
  };
}

/** What follows the pointer. */
export function liveShapes(
  scene: Scene,
): Layers<'contours' | 'hairs' | 'curves' | 'names' | 'crosshair'> &
  Partial<Layers<'under' | 'cells'>> & { behind: Shape[] } {
  const { view, frame, sampler, live } = scene;
  const spot = spotOf(view, frame, live);
  const lower = {
    curves: curves(view, frame, live, sampler),
    names: lineLabels(view, frame, live, sampler.lineXs, scene.namesAt),
  };
  if (view.figure === 'map')
    return {
      ...lower,
      behind: [],
      contours: labelsOf(scene),
      hairs: hairs(frame, spot),
      crosshair: crosshair(view, frame, live),
    };
  const upper = scene.upper?.shapes(scene);
  const joined = view.figure !== '3d';
  return {
    ...lower,
    behind: upper?.behind ?? [],
    under: upper?.under ?? [],
    contours: upper?.areas ?? [],
    hairs: [...(upper?.hairs ?? []), hairBelow(frame, spot, joined)],
    cells: upper?.cells ?? [],
    crosshair: crosshair(view, frame, live, upper?.crosshair ?? []),
  };
}

/** What of that stands still while a slider moves. */
function heldShapes({ view, frame, live }: Scene): Layers<'contours' | 'hairs' | 'curves' | 'names' | 'crosshair'> {
  return {
    contours: [],
    curves: [],
    names: [],
    hairs: hairs(frame, spotOf(view, frame, live)),
    crosshair: crosshair(view, frame, live, null, []),
  };
}

export function createChartRenderer(parts: ChartParts): ChartRenderer {
  const { canvas, svg, hit, layers, behind } = parts;
  const room = { width: 0, height: 0 };
  const surface: SurfaceLayer = surfaceLayer(canvas);
  let key: readonly unknown[] = [];
  let scene: Scene | null = null;
  let levels: Isoline[] = [];
  const motion = dragRendererOn(parts.moving, layers.points);
  let painted = false;
  let rest: ReturnType<typeof setTimeout> | undefined;

  function at(clientX: number, clientY: number): [number, number] {
    const { left, top } = svg.getBoundingClientRect();
    const scale = drawingScale();
    return [(clientX - left) / scale, (clientY - top) / scale];
  }

  function write(shapes: Partial<Layers<Layer>>): void {
    for (const [name, drawn] of Object.entries(shapes)) draw(layers[name as Layer], drawn);
  }

  function place(frame: Frame, figure: View['figure']): void {
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
    behind.setAttribute('width', String(frame.width));
    behind.setAttribute('height', String(frame.height));
    const box = canvasRoom(figure, frame);
    canvas.hidden = box === null;
    if (!box) return;
    for (const name of ['left', 'top', 'width', 'height'] as const) canvas.style[name] = `${box[name]}px`;
    surface.resize(box.width, box.height);
  }

  function paint(now: Scene, moving: boolean): void {
    const { view, frame, live, upper } = now;
    if (view.figure !== 'map') {
      if (upper?.paint) upper.paint(now, canvas);
      else surface.clear();
      return;
    }
    if (!live.z) {
      surface.clear();
      return;
    }
    trace(live.z, GRID, GRID, levels);
    const { values, logValues: log } = frame;
    const painting = { z: live.z, nx: GRID, ny: GRID, values, log, isolines: levels };
    if (moving) surface.follow(painting);
    else surface.paint(painting);
  }

  function settle(view: View, state: ExplorerState, slices: DataSlices, values: readonly [number, number]): Sampler {
    const frame = frameOf(view, values, room.width, room.height);
    const sampler = samplerOf(view, frame, seriesOf(view, state, slices), state.frames, state.pins);
    place(frame, view.figure);
    write(stillShapes(view, frame, sampler));
    levels = isolines(view.contours);
    const live = sampler.live(state);
    scene = {
      view,
      frame,
      sampler,
      live,
      isolines: levels,
      namesAt: labelPlace(view, frame, live, sampler.lineXs, spotOf(view, frame, live).X),
    };
    return sampler;
  }

  /** A drawing at rest may be dragged next. */
  function prepareAtRest(): void {
    clearTimeout(rest);
    rest = setTimeout(() => {
      if (scene?.view.figure === 'map' && !painted && svg.isConnected) motion.prepare(scene);
    }, REST_MS);
  }

  return {
    render(view, state, slices, dragging = false) {
      if (room.width === 0 || room.height === 0) return null;
      const { lines, frames, pins } = state;
      const next = [view, room.width, room.height, lines, frames, pins, devicePixelRatio, currentTheme()];
      const stale = scene === null || next.some((v, i) => v !== key[i]);
      if (stale) {
        // another theme moves no name
        const namesAt = next.slice(0, -1).every((v, i) => v === key[i]) ? scene?.namesAt : undefined;
        key = next;
        settle(view, state, slices, view.values);
        if (scene && namesAt !== undefined) scene = { ...(scene as Scene), namesAt };
      }
      let now = scene as Scene | null;
      if (!now) return null;
      let live = stale ? now.live : now.sampler.live(state);
      const values = dragging ? around(live.values, now.frame.values) : live.values;
      const rescaled = values[0] !== now.frame.values[0] || values[1] !== now.frame.values[1];
      if (rescaled) {
        live = settle(view, state, slices, values).live(state);
        now = scene as Scene;
      }
      scene = { ...now, live, upper: mainChartOf(view.figure, parts.again) };
      const moving = dragging && view.figure === 'map';
      const fresh = moving && (!painted || stale || rescaled);
      if (fresh) motion.begin(scene);
      paint(scene, moving);
      // the first time at once: they take the place of the drawing's own
      if (fresh) motion.paint(scene);
      if (!moving) {
        const { behind: back, ...shapes } = liveShapes(scene);
        draw(behind, back);
        write(shapes);
        if (painted) motion.end();
        prepareAtRest();
      }
      if (fresh) write(heldShapes(scene));
      painted = moving;
      return live;
    },
    follow() {
      if (painted && scene) motion.paint(scene);
    },
    aim(clientX, clientY, onLines) {
      if (!scene) return {};
      const { view, frame, live } = scene;
      const [px, py] = at(clientX, clientY);
      const { x, y, across } = view.layout;
      const axis = frame.across;
      const along = clamp(
        snapped(axis, frame.x, px, frame.x.invert(px)),
        across === 'x' ? bounds(view.xBounds, x?.levels) : bounds(view.yBounds, y?.levels),
      );
      const change: Partial<Record<'x' | 'y', number>> = { [across]: along };
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
      return at(0, clientY)[1] > scene.frame.heat.top + scene.frame.heat.height;
    },
    at,
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
