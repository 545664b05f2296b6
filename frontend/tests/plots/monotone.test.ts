// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { monotone } from '../../src/plots/monotone';
import { generator } from '../random';

type Interpolant = (xs: readonly number[], ys: readonly number[]) => (x: number) => number;

/** Catmull and Rom's cubic: smooth, and free to overshoot. */
const overshooting: Interpolant = (xs, ys) => (x) => {
  let i = 0;
  while (i < xs.length - 2 && x > xs[i + 1]) i++;
  const at = (k: number) => ys[Math.max(0, Math.min(ys.length - 1, k))];
  const t = (x - xs[i]) / (xs[i + 1] - xs[i]);
  const [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
};

/** How often an interpolant leaves the range of the two points around it. */
function excursions(make: Interpolant): number {
  const random = generator(7);
  let out = 0;
  for (let round = 0; round < 200; round++) {
    const n = 3 + Math.floor(random() * 7);
    const xs = Array.from({ length: n }, (_, i) => i + 0.8 * random());
    const ys = xs.map(() => random() * 10);
    const curve = make(xs, ys);
    for (let i = 0; i + 1 < n; i++)
      for (let k = 0; k <= 10; k++) {
        const v = curve(xs[i] + ((xs[i + 1] - xs[i]) * k) / 10);
        if (v < Math.min(ys[i], ys[i + 1]) - 1e-9 || v > Math.max(ys[i], ys[i + 1]) + 1e-9) out++;
      }
  }
  return out;
}

describe('monotone interpolation', () => {
  it('never leaves the range of two neighbouring points', () => {
    expect(excursions(monotone)).toBe(0);
  });

  it('is judged by a check that a free cubic fails', () => {
    expect(excursions(overshooting)).toBeGreaterThan(100);
  });

  it('goes through its points, and straight on beyond them', () => {
    const curve = monotone([1, 2, 4, 7], [3, 5, 4, 9]);
    expect([1, 2, 4, 7].map(curve)).toEqual([3, 5, 4, 9]);
    const slope = curve(8) - curve(7);
    expect(curve(9) - curve(8)).toBeCloseTo(slope, 12);
  });

  it('is a constant through one point and a line through two', () => {
    expect(monotone([3], [8])(100)).toBe(8);
    expect(monotone([0, 2], [0, 4])(5)).toBe(10);
    expect(monotone([], [])(1)).toBeNaN();
  });
});
