// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { simplified } from '../../src/plots/simplified';

type Point = readonly [number, number];

function drawn(lines: readonly (readonly Point[])[]): Point[][] {
  const out: Point[][] = [];
  const pen = simplified({
    moveTo: (x, y) => out.push([[x, y]]),
    lineTo: (x, y) => out[out.length - 1].push([x, y]),
  });
  for (const [[x, y], ...rest] of lines) {
    pen.moveTo(x, y);
    for (const point of rest) pen.lineTo(...point);
  }
  pen.end();
  return out;
}

/** How far the points lie above or below what was drawn. */
function farthest(points: readonly Point[], line: readonly Point[]): number {
  return Math.max(
    ...points.map(([x, y]) => {
      const k = Math.max(
        1,
        line.findIndex((p) => p[0] >= x),
      );
      const [[x0, y0], [x1, y1]] = [line[k - 1], line[k]];
      return Math.abs(y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) - y);
    }),
  );
}

const samples = (f: (x: number) => number, from = 0): Point[] =>
  Array.from({ length: 241 }, (_, i) => [from + 3 * i, f(i / 240)]);

test('a straight line is its two ends', () => {
  const line = samples((t) => 40 + 100 * t);
  expect(drawn([line])).toEqual([[line[0], line[240]]]);
});

test.each([
  ['flat', (t: number) => 300 / (1 + 8 * t)],
  ['steep', (t: number) => 5 / (0.01 + t)],
  ['wavy', (t: number) => 100 * Math.sin(9 * t)],
  ['with a corner', (t: number) => Math.abs(t - 0.4) * 300],
])('a %s curve has fewer points and lies where it was, to a sixth of a pixel', (_, f) => {
  const curve = samples(f);
  const [line] = drawn([curve]);
  expect(line.length).toBeLessThan(curve.length / 2);
  expect(farthest(curve, line)).toBeLessThan(1 / 6);
  expect([line[0], line[line.length - 1]]).toEqual([curve[0], curve[240]]);
});

test('parts stay apart, and each reaches its end', () => {
  const [a, b] = [samples((t) => 10 * t), samples((t) => 50 - 10 * t, 800)];
  expect(drawn([a, b])).toEqual([
    [a[0], a[240]],
    [b[0], b[240]],
  ]);
});
