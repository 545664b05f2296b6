// SPDX-License-Identifier: Apache-2.0
// A grid as colours and contours on a canvas.
import type { Isoline } from '../plots/contours';
import { inkOnTide, type SurfaceInk, TIDE_WORDS } from '../plots/tide';
import { inksOf } from './inks';
import { drawingScale } from './scale';

interface Tile {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  readonly image: ImageData;
  readonly words: Uint32Array;
}

function tileOf(nx: number, ny: number): Tile | null {
  const canvas = document.createElement('canvas');
  canvas.width = nx;
  canvas.height = ny;
  const context = canvas.getContext('2d');
  if (!context) return null;
  const image = context.createImageData(nx, ny);
  return { canvas, context, image, words: new Uint32Array(image.data.buffer) };
}

/** Colours into the words of an image, row 0 of the grid at the bottom; what is not a number stays clear. */
export function colours(
  z: Float64Array,
  nx: number,
  ny: number,
  lo: number,
  hi: number,
  log: boolean,
  words: Uint32Array,
): void {
  const from0 = log ? Math.log(lo) : lo;
  const s = 255 / ((log ? Math.log(hi) : hi) - from0 || 1);
  for (let j = 0; j < ny; j++) {
    const to = (ny - 1 - j) * nx;
    for (let i = 0, from = j * nx; i < nx; i++, from++) {
      const k = (((log ? Math.log(z[from]) : z[from]) - from0) * s + 0.5) | 0;
      words[to + i] = Number.isNaN(z[from]) ? 0 : TIDE_WORDS[k < 0 ? 0 : k > 255 ? 255 : k];
    }
  }
}

interface Painting {
  readonly z: Float64Array;
  readonly nx: number;
  readonly ny: number;
  readonly values: readonly [number, number];
  readonly log: boolean;
  readonly isolines: readonly Isoline[];
}

/** The colours alone, one pixel a sample, as a data address: an export scales it. */
export function surfaceImage({ z, nx, ny, values, log }: Omit<Painting, 'isolines'>): string | null {
  const tile = tileOf(nx, ny);
  if (!tile) return null;
  colours(z, nx, ny, values[0], values[1], log, tile.words);
  tile.context.putImageData(tile.image, 0, 0);
  return tile.canvas.toDataURL('image/png');
}

export interface SurfaceLayer {
  /** CSS pixels of the canvas. */
  resize(width: number, height: number): void;
  paint(painting: Painting): void;
  /**
   * For a frame that follows the hand: the colours lie on a canvas of their own, one pixel a sample, which the compositor scales. To scale them
   * takes the main thread as long as everything else that it paints.
   */
  follow(painting: Painting): void;
  clear(): void;
}

/** A room under the canvas that shows a tile as large as the surface. */
function roomUnder(canvas: HTMLCanvasElement): HTMLDivElement {
  const room = document.createElement('div');
  room.className = 'tile';
  room.hidden = true;
  canvas.after(room);
  return room;
}

export const CONTOUR_OPACITY: Record<SurfaceInk, number> = { 'var(--on-dark)': 0.5, 'var(--on-bright)': 0.45 };

function strokeIsolines(
  context: CanvasRenderingContext2D,
  inks: Record<SurfaceInk, string>,
  { isolines, values, log, nx, ny }: Painting,
  width: number,
  height: number,
): void {
  const kx = width / (nx - 1);
  const ky = height / (ny - 1);
  context.lineWidth = 1;
  for (const { level, points, count } of isolines) {
    if (count === 0) continue;
    const t = log
      ? Math.log(level / values[0]) / Math.log(values[1] / values[0])
      : (level - values[0]) / (values[1] - values[0]);
    const ink = inkOnTide(t);
    context.strokeStyle = inks[ink];
    context.globalAlpha = CONTOUR_OPACITY[ink];
    context.beginPath();
    for (let s = 0; s < count; s += 4) {
      context.moveTo(points[s] * kx, height - points[s + 1] * ky);
      context.lineTo(points[s + 2] * kx, height - points[s + 3] * ky);
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}

export function surfaceLayer(canvas: HTMLCanvasElement): SurfaceLayer {
  let tile: Tile | null = null;
  let width = 0;
  let height = 0;
  let room: HTMLDivElement | null = null;
  const inks = inksOf(canvas);
  const context = canvas.getContext('2d');

  /** The colours, and where they lie: samples are on the frame, so the outer halves of the outer pixels fall outside. */
  function coloured({ z, nx, ny, values, log }: Painting): readonly [Tile, number, number] | null {
    if (width === 0 || height === 0) return null;
    if (!tile || tile.canvas.width !== nx || tile.canvas.height !== ny) tile = tileOf(nx, ny);
    if (!tile) return null;
    colours(z, nx, ny, values[0], values[1], log, tile.words);
    tile.context.putImageData(tile.image, 0, 0);
    return [tile, width / (nx - 1) / 2, height / (ny - 1) / 2];
  }

  function cleared(on: CanvasRenderingContext2D): void {
    on.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
    on.clearRect(0, 0, width, height);
  }

  function showTile({ canvas: colours }: Tile, hx: number, hy: number): void {
    room ??= roomUnder(canvas);
    if (!room.hidden && room.firstChild === colours) return;
    const { left, top } = canvas.style;
    Object.assign(room.style, { left, top, width: `${width}px`, height: `${height}px` });
    const place = { left: -hx, top: -hy, width: width + 2 * hx, height: height + 2 * hy };
    for (const [name, value] of Object.entries(place)) colours.style.setProperty(name, `${value}px`);
    room.replaceChildren(colours);
    room.hidden = false;
  }

  function hideTile(): void {
    if (room) room.hidden = true;
  }

  return {
    resize(w, h) {
      const ratio = (devicePixelRatio || 1) * drawingScale();
      width = w;
      height = h;
      const [pw, ph] = [Math.round(w * ratio), Math.round(h * ratio)];
      if (canvas.width !== pw) canvas.width = pw;
      if (canvas.height !== ph) canvas.height = ph;
      hideTile();
    },
    paint(painting) {
      const found = coloured(painting);
      if (!context || !found) return;
      const [{ canvas: colours }, hx, hy] = found;
      cleared(context);
      context.imageSmoothingEnabled = true;
      // 128 samples of a smooth surface: a better filter costs milliseconds and shows nothing
      context.imageSmoothingQuality = 'low';
      context.drawImage(colours, -hx, -hy, width + 2 * hx, height + 2 * hy);
      strokeIsolines(context, inks, painting, width, height);
      hideTile();
    },
    follow(painting) {
      const found = coloured(painting);
      if (!context || !found) return;
      showTile(...found);
      cleared(context);
      strokeIsolines(context, inks, painting, width, height);
    },
    clear() {
      context?.setTransform(1, 0, 0, 1, 0, 0);
      context?.clearRect(0, 0, canvas.width, canvas.height);
      hideTile();
    },
  };
}
