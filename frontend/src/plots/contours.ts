// SPDX-License-Identifier: Apache-2.0
// Contour lines of a grid, twice. For the frame that follows the hand: segments by marching squares, all levels in one pass,
// into room that is used again (a tenth of the time of d3-contour, which builds and sorts rings). For files: d3-contour's rings.
import { contours } from 'd3-contour';

/** Segments of one level in grid coordinates: x0 y0 x1 y1, `count` numbers in use. */
export interface Isoline {
  readonly level: number;
  points: Float32Array;
  count: number;
}

export function isolines(levels: readonly number[]): Isoline[] {
  return [...levels].sort((a, b) => a - b).map((level) => ({ level, points: new Float32Array(1024), count: 0 }));
}

/** What is traced of a level: a hair below it, so that a plateau which has it but for rounding is not full of lines. */
const traced = (level: number) => level - 1e-9 * Math.abs(level);

function push(line: Isoline, x0: number, y0: number, x1: number, y1: number): void {
  if (line.count + 4 > line.points.length) {
    const more = new Float32Array(line.points.length * 2);
    more.set(line.points);
    line.points = more;
  }
  const { points, count } = line;
  points[count] = x0;
  points[count + 1] = y0;
  points[count + 2] = x1;
  points[count + 3] = y1;
  line.count = count + 4;
}

/** Edges of a cell. */
const [BOTTOM, RIGHT, TOP, LEFT] = [0, 1, 2, 3];

/** The two edges that a line joins, by which corners have reached it (bottom left 1, bottom right 2, top right 4, top left 8). */
const JOINED = Uint8Array.from(
  [
    [0, 0],
    [LEFT, BOTTOM],
    [BOTTOM, RIGHT],
    [LEFT, RIGHT],
    [RIGHT, TOP],
    [0, 0], // a saddle
    [BOTTOM, TOP],
    [TOP, LEFT],
    [TOP, LEFT],
    [BOTTOM, TOP],
    [0, 0], // a saddle
    [RIGHT, TOP],
    [LEFT, RIGHT],
    [BOTTOM, RIGHT],
    [LEFT, BOTTOM],
  ].flat(),
);

/** Where a line crosses the edges of a cell: x and y of each. */
const crossings = new Float64Array(8);

function join(line: Isoline, from: number, to: number): void {
  push(line, crossings[2 * from], crossings[2 * from + 1], crossings[2 * to], crossings[2 * to + 1]);
}

/** The compiler of the browser copies what is called here into its caller: a function with a call for each case takes it a tenth of a second. */
function cross(line: Isoline, i: number, j: number, a: number, b: number, c: number, d: number): void {
  const v = traced(line.level);
  // a b at the bottom, d c at the top
  const code = (a >= v ? 1 : 0) | (b >= v ? 2 : 0) | (c >= v ? 4 : 0) | (d >= v ? 8 : 0);
  if (code === 0 || code === 15) return;
  crossings[0] = i + (v - a) / (b - a);
  crossings[1] = j;
  crossings[2] = i + 1;
  crossings[3] = j + (v - b) / (c - b);
  crossings[4] = i + (v - d) / (c - d);
  crossings[5] = j + 1;
  crossings[6] = i;
  crossings[7] = j + (v - a) / (d - a);
  if (code !== 5 && code !== 10) {
    join(line, JOINED[2 * code], JOINED[2 * code + 1]);
    return;
  }
  // a saddle: the mean of the corners says which two are joined
  const joined = (a + b + c + d) / 4 >= v === (code === 5);
  join(line, joined ? LEFT : BOTTOM, joined ? TOP : LEFT);
  join(line, joined ? BOTTOM : RIGHT, joined ? RIGHT : TOP);
}

/** Of a gap. */
const NONE = 255;
let bands = new Uint8Array(0);

/** How many levels each sample has reached. Neighbours have reached about as many: the search goes on from there. */
function reached(z: Float64Array, lines: readonly Isoline[]): Uint8Array {
  if (bands.length < z.length) bands = new Uint8Array(z.length);
  const levels = Float64Array.from(lines, ({ level }) => traced(level));
  let k = 0;
  for (let at = 0; at < z.length; at++) {
    const value = z[at];
    while (k < levels.length && levels[k] <= value) k++;
    while (k > 0 && levels[k - 1] > value) k--;
    bands[at] = Number.isNaN(value) ? NONE : k;
  }
  return bands;
}

/**
 * Fills `lines` (levels rising, fewer than 255) from the nx × ny grid z, row 0 at the bottom; a cell with a gap in a corner stays empty. Most cells
 * have no line, which is seen from whole numbers.
 */
export function trace(z: Float64Array, nx: number, ny: number, lines: readonly Isoline[]): void {
  for (const line of lines) line.count = 0;
  if (lines.length === 0) return;
  const band = reached(z, lines);
  for (let j = 0; j < ny - 1; j++) {
    for (let i = 0, at = j * nx; i < nx - 1; i++, at++) {
      const [a, b, d, c] = [band[at], band[at + 1], band[at + nx], band[at + nx + 1]];
      if (a === b && b === c && c === d) continue;
      const to = Math.max(a, b, c, d);
      if (to === NONE) continue;
      for (let k = Math.min(a, b, c, d); k < to; k++)
        cross(lines[k], i, j, z[at], z[at + 1], z[at + nx + 1], z[at + nx]);
    }
  }
}

/** The lines of a level as polylines of [x, y] in grid coordinates: for files, where a path should be one path. */
export function contourLines(z: Float64Array, nx: number, ny: number, level: number): [number, number][][] {
  const rings = contours()
    .size([nx, ny])
    .smooth(true)
    .contour(z as unknown as number[], traced(level))
    .coordinates.flat();
  return rings.flatMap((ring) => openParts(ring as [number, number][], z, nx, ny, level));
}

/** A ring of d3 without the parts that run along the frame or a gap: what stays are points where the grid has the level. */
function openParts(
  ring: readonly [number, number][],
  z: Float64Array,
  nx: number,
  ny: number,
  level: number,
): [number, number][][] {
  const parts: [number, number][][] = [[]];
  for (const [cx, cy] of ring) {
    // d3 has its samples in the middle of their cells
    const [x, y] = [cx - 0.5, cy - 0.5];
    const value = valueAt(x, y, z, nx, ny);
    if (Math.abs(value - level) <= 1e-6 * Math.abs(level) + 1e-12) parts[parts.length - 1].push([x, y]);
    else if (parts[parts.length - 1].length > 0) parts.push([]);
  }
  return parts.filter((part) => part.length > 1);
}

/** The grid at a point on one of its edges; NaN outside and beside a gap. */
function valueAt(x: number, y: number, z: Float64Array, nx: number, ny: number): number {
  if (!(x >= 0 && y >= 0 && x <= nx - 1 && y <= ny - 1)) return Number.NaN;
  const a = z[Math.floor(y) * nx + Math.floor(x)];
  const b = z[Math.ceil(y) * nx + Math.ceil(x)];
  return a + (b - a) * Math.max(x - Math.floor(x), y - Math.floor(y));
}

/**
 * Round levels for a surface: about `count` ticks, and one more in the middle of each gap in which more than a fifth of the surface
 * lies, so that a flat part is not left without lines.
 */
export function contourLevels(z: Float64Array, ticks: readonly number[], lo: number, hi: number): number[] {
  const edges = [lo, ...ticks.filter((t) => t > lo && t < hi), hi];
  const counts = new Array<number>(edges.length - 1).fill(0);
  let total = 0;
  for (const v of z) {
    if (!(v >= lo && v <= hi)) continue;
    total++;
    for (let k = 0; k < counts.length; k++)
      if (v < edges[k + 1] || k === counts.length - 1) {
        counts[k]++;
        break;
      }
  }
  const levels = edges.slice(1, -1);
  for (let k = 1; k < counts.length - 1; k++) if (counts[k] > 0.22 * total) levels.push((edges[k] + edges[k + 1]) / 2);
  return levels.sort((a, b) => a - b);
}
