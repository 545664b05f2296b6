// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import {
  type Camera,
  cameraOf,
  drawRelief,
  heightAt,
  isHidden,
  meshLines,
  type Relief,
} from '../../src/plots/surface3d';
import { START_TURN } from '../../src/state/figure';

const BOX = { left: 0, top: 0, width: 400, height: 300 };
const us = Float64Array.of(0, 0.5, 1);

/** A ridge along the middle of v. */
const ridge: Relief = {
  us,
  vs: us,
  h: Float64Array.of(0, 0, 0, 1, 1, 1, 0, 0, 0),
  level: Float64Array.of(0, 0, 0, 1, 1, 1, 0, 0, 0),
};
const nothing = {
  contours: [],
  columns: new Set<number>(),
  rows: new Set<number>(),
  known: { u: [0, 1], v: [0, 1] },
} as const;

it('interpolates between its nodes, and knows its ends', () => {
  expect(heightAt(ridge, 0.3, 0.25)).toBeCloseTo(0.5);
  expect(heightAt(ridge, 1, 0.5)).toBe(1);
  expect(heightAt(ridge, 1.1, 0.5)).toBeNaN();
});

it('hides what lies behind the ridge, from the side that is looked from', () => {
  const front = cameraOf({ round: 0, above: 15 }, BOX);
  expect(isHidden(ridge, front, 0.5, 0.95, 0.1)).toBe(true);
  expect(isHidden(ridge, front, 0.5, 0.05, 0.1)).toBe(false);
  const back = cameraOf({ round: 180, above: 15 }, BOX);
  expect(isHidden(ridge, back, 0.5, 0.95, 0.1)).toBe(false);
  expect(isHidden(ridge, back, 0.5, 0.05, 0.1)).toBe(true);
  expect(isHidden(ridge, cameraOf({ round: 0, above: 86 }, BOX), 0.5, 0.95, 0.1)).toBe(false);
});

/** How far the box reaches on the screen. */
function reachOf(camera: Camera): { readonly x: readonly [number, number]; readonly y: readonly [number, number] } {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (const u of [0, 1])
    for (const v of [0, 1]) {
      xs.push(camera.x(u, v));
      ys.push(camera.y(u, v, 0), camera.y(u, v, 1));
    }
  return { x: [Math.min(...xs), Math.max(...xs)], y: [Math.min(...ys), Math.max(...ys)] };
}

it('stays in its room at every turn', () => {
  for (let round = -170; round <= 180; round += 10)
    for (const above of [4, 26, 86]) {
      const { x, y } = reachOf(cameraOf({ round, above }, BOX));
      expect(Math.min(x[0], y[0])).toBeGreaterThanOrEqual(-1e-6);
      expect(x[1]).toBeLessThanOrEqual(BOX.width + 1e-6);
      expect(y[1]).toBeLessThanOrEqual(BOX.height + 1e-6);
    }
});

it('fills its room as it opens, whether that is wide or tall', () => {
  for (const [width, height] of [
    [700, 200],
    [320, 260],
    [300, 500],
  ]) {
    const { x, y } = reachOf(cameraOf(START_TURN, { ...BOX, width, height }));
    expect(x[1] - x[0]).toBeGreaterThan(0.95 * width);
    expect(y[1] - y[0]).toBeGreaterThan(0.95 * height);
  }
});

it('draws the far facets first', () => {
  for (const round of [-150, -32, 20, 100]) {
    const camera = cameraOf({ round, above: 26 }, BOX);
    const heights: number[] = [];
    const flat: Relief = { ...ridge, h: new Float64Array(9), level: Float64Array.from({ length: 9 }, (_, k) => k) };
    drawRelief(flat, camera, nothing, {
      // on the floor, what is lower on the screen is nearer
      facet: (_ax, ay, _bx, by, _cx, cy, _dx, dy) => heights.push((ay + by + cy + dy) / 4),
      contour: () => undefined,
      edge: () => undefined,
    });
    expect(heights).toHaveLength(4);
    expect(heights[3]).toBe(Math.max(...heights));
    expect(heights[0]).toBe(Math.min(...heights));
  }
});

it('leaves a facet with a gap in a corner open', () => {
  const level = Float64Array.from(ridge.level);
  level[0] = Number.NaN;
  let count = 0;
  drawRelief({ ...ridge, level }, cameraOf({ round: 10, above: 30 }, BOX), nothing, {
    facet: () => {
      count++;
    },
    contour: () => undefined,
    edge: () => undefined,
  });
  expect(count).toBe(3);
});

it('has a line of the mesh at every setting', () => {
  const { at, marked } = meshLines([0.2, 0.31, 0.9], 0.2, 0.9, 0.1);
  expect([...marked].map((k) => at[k])).toEqual([0.2, 0.31, 0.9]);
  for (let k = 1; k < at.length; k++) expect(at[k] - at[k - 1]).toBeLessThanOrEqual(0.1 + 1e-9);
});

it('tells the facets beyond what is known, wherever it is seen from', () => {
  for (const [u, v, beyond] of [
    [[0, 1], [0, 1], 0],
    [[0, 0.5], [0, 1], 2],
    [[0.5, 1], [0.5, 1], 3],
    [[0, 0.5], [0.5, 0.5], 4],
  ] as const)
    for (const round of [-150, 20]) {
      const told: boolean[] = [];
      drawRelief(
        ridge,
        cameraOf({ round, above: 26 }, BOX),
        { ...nothing, known: { u, v } },
        {
          facet: (...given) => told.push(given[9]),
          contour: () => undefined,
          edge: () => undefined,
        },
      );
      expect(told.filter(Boolean)).toHaveLength(beyond);
    }
});
