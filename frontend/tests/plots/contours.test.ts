// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { contourLevels, contourLines, isolines, trace } from '../../src/plots/contours';

const N = 65;
const field = (f: (x: number, y: number) => number): Float64Array =>
  Float64Array.from({ length: N * N }, (_, k) => f(k % N, Math.floor(k / N)));

function lengthOf(points: Float32Array, count: number): number {
  let sum = 0;
  for (let s = 0; s < count; s += 4) sum += Math.hypot(points[s + 2] - points[s], points[s + 3] - points[s + 1]);
  return sum;
}

describe('isolines', () => {
  it('lie on their level', () => {
    const lines = isolines([10, 25, 40]);
    trace(
      field((x, y) => 0.5 * x + 0.25 * y),
      N,
      N,
      lines,
    );
    for (const { level, points, count } of lines) {
      expect(count).toBeGreaterThan(0);
      for (let s = 0; s < count; s += 2) expect(0.5 * points[s] + 0.25 * points[s + 1]).toBeCloseTo(level, 4);
    }
  });

  it('have the length of the circle they trace, and close', () => {
    const lines = isolines([20]);
    trace(
      field((x, y) => Math.hypot(x - 32, y - 32)),
      N,
      N,
      lines,
    );
    expect(lengthOf(lines[0].points, lines[0].count)).toBeCloseTo(2 * Math.PI * 20, 0);
  });

  it('are none on a plateau that has their level but for rounding', () => {
    const plateau = field((x, y) => 903 + (((x + y) % 3) - 1) * 1.2e-13);
    const lines = isolines([902, 903, 904]);
    trace(plateau, N, N, lines);
    expect(lines.map(({ count }) => count)).toEqual([0, 0, 0]);
    expect(contourLines(plateau, N, N, 903)).toEqual([]);
  });

  it('never cross at a saddle', () => {
    const lines = isolines([0.1, -0.1]);
    trace(
      field((x, y) => (x - 31.5) * (y - 31.5)),
      N,
      N,
      lines,
    );
    // two branches a level: four ends on the frame, every other end met by another segment
    for (const { points, count } of lines) {
      const met = new Map<string, number>();
      for (let s = 0; s < count; s += 2) {
        const key = `${points[s].toFixed(3)},${points[s + 1].toFixed(3)}`;
        met.set(key, (met.get(key) ?? 0) + 1);
      }
      expect([...met.values()].filter((times) => times === 1)).toHaveLength(4);
    }
  });

  it('leave gaps where nothing is known, and are empty beyond the values', () => {
    const z = field((x) => x);
    for (let j = 0; j < N; j++) z[j * N + 10] = Number.NaN;
    const lines = isolines([10, 30, 1000]);
    trace(z, N, N, lines);
    expect(lines.map((l) => l.count > 0)).toEqual([false, true, false]);
  });

  it('are traced again into the same room', () => {
    const lines = isolines([10]);
    trace(
      field((x) => x),
      N,
      N,
      lines,
    );
    const room = lines[0].points;
    trace(
      field((_, y) => y),
      N,
      N,
      lines,
    );
    expect(lines[0].points).toBe(room);
    expect(lines[0].points[1]).toBeCloseTo(10, 4);
  });
});

describe('contour lines of files', () => {
  const lengthOfParts = (parts: readonly (readonly [number, number])[][]): number =>
    parts
      .flatMap((part) => part.slice(1).map((p, i) => Math.hypot(p[0] - part[i][0], p[1] - part[i][1])))
      .reduce((a, b) => a + b, 0);

  it.each([
    ['a slope', (x: number, y: number) => 0.5 * x + 0.25 * y, 25],
    ['a ring', (x: number, y: number) => Math.hypot(x - 32, y - 32), 20],
    ['a saddle', (x: number, y: number) => (x - 31.5) * (y - 31.5), 40],
  ])('are those of the screen: %s', (_, f, level) => {
    const z = field(f);
    const [line] = isolines([level]);
    trace(z, N, N, [line]);
    const parts = contourLines(z, N, N, level);
    expect(parts.length).toBeGreaterThan(0);
    // d3 cuts what runs along the frame: up to a step at each end is missing
    const difference = Math.abs(lengthOfParts(parts) / lengthOf(line.points, line.count) - 1);
    expect(difference).toBeLessThan(0.05);
    for (const [x, y] of parts.flat()) expect(Math.abs(f(x, y) - level)).toBeLessThan(0.5);
  });

  it('leave gaps where nothing is known', () => {
    const z = field((x) => x);
    for (let j = 20; j < 30; j++) for (let i = 0; i < N; i++) z[j * N + i] = Number.NaN;
    const rows = contourLines(z, N, N, 30).flat();
    expect(rows.length).toBeGreaterThan(20);
    for (const [x, y] of rows) {
      expect(x).toBeCloseTo(30, 6);
      expect(y <= 19 || y >= 30).toBe(true);
    }
  });
});

it('puts a level more into a flat part of the surface', () => {
  const flat = Float64Array.from({ length: 100 }, (_, i) => (i < 80 ? 110 + i / 8 : 150 + i));
  expect(contourLevels(flat, [100, 120, 140, 160, 180, 200, 220], 90, 240)).toContain(110);
  const even = Float64Array.from({ length: 150 }, (_, i) => 90 + i);
  expect(contourLevels(even, [100, 120, 140, 160, 180, 200, 220], 90, 240)).toEqual([
    100, 120, 140, 160, 180, 200, 220,
  ]);
});
