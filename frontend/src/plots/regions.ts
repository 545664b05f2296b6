// SPDX-License-Identifier: Apache-2.0
// A grid of codes as areas: their outlines, and where in each there is most room for its name.
import { contours } from 'd3-contour';

export interface Region {
  readonly code: number;
  /** Closed rings in grid coordinates, row 0 at the bottom. */
  readonly rings: readonly (readonly [number, number])[][];
  /** The place farthest from what is not of it, and how many samples that is. */
  readonly inmost: readonly [number, number];
  readonly depth: number;
}

/** Chessboard distance of each sample to the nearest of another code; the frame counts as its own half a step away. */
function depths(z: ArrayLike<number>, nx: number, ny: number): Int16Array {
  const out = new Int16Array(nx * ny).fill(32_000);
  const near = (at: number, i: number, j: number, from: number, di: number, dj: number): void => {
    const [x, y] = [i + di, j + dj];
    if (x < 0 || x >= nx || y < 0 || y >= ny) out[at] = Math.min(out[at], 1);
    else out[at] = Math.min(out[at], z[from] === z[at] ? out[from] + 1 : 1);
  };
  for (let j = 0, at = 0; j < ny; j++)
    for (let i = 0; i < nx; i++, at++) {
      near(at, i, j, at - 1, -1, 0);
      near(at, i, j, at - nx, 0, -1);
      near(at, i, j, at - nx - 1, -1, -1);
      near(at, i, j, at - nx + 1, 1, -1);
    }
  for (let j = ny - 1, at = nx * ny - 1; j >= 0; j--)
    for (let i = nx - 1; i >= 0; i--, at--) {
      near(at, i, j, at + 1, 1, 0);
      near(at, i, j, at + nx, 0, 1);
      near(at, i, j, at + nx + 1, 1, 1);
      near(at, i, j, at + nx - 1, -1, 1);
    }
  return out;
}

/** The areas of every code that the grid has, by code. */
export function regionsOf(z: ArrayLike<number>, nx: number, ny: number): Region[] {
  const codes = [...new Set(Array.from(z))].filter(Number.isFinite).sort((a, b) => a - b);
  const depth = depths(z, nx, ny);
  const clamp = (v: number, n: number): number => Math.max(0, Math.min(n - 1, v - 0.5));
  const draw = contours().size([nx, ny]);
  return codes.map((code) => {
    const mine = Array.from(z, (v) => (v === code ? 1 : 0));
    const rings = draw
      .contour(mine, 0.5)
      .coordinates.flat()
      .map((ring) => ring.map(([x, y]): [number, number] => [clamp(x, nx), clamp(y, ny)]));
    let best = -1;
    mine.forEach((here, at) => {
      if (here === 1 && (best < 0 || depth[at] > depth[best])) best = at;
    });
    return { code, rings, inmost: [best % nx, Math.floor(best / nx)], depth: depth[best] };
  });
}
