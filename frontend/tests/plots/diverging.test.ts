// SPDX-License-Identifier: Apache-2.0
// The colours of a difference for readers who see fewer colours: the order holds, and the two sides stay apart.
import { describe, expect, it } from 'vitest';
import { diverging, reachOf, roundAbove } from '../../src/plots/diverging';
import { regionsOf } from '../../src/plots/regions';
import { apart, hexOf, lab, SIMULATED } from '../sight';
import { THEMES } from '../tokens';

const NAMES = ['under-4', 'under-3', 'under-2', 'under-1', 'even', 'over-1', 'over-2', 'over-3', 'over-4'];

describe.each(THEMES)('the scale in the %s', (theme, block) => {
  it.each(Object.entries(SIMULATED))('keeps order and sides, %s', (_, matrix) => {
    const colours = NAMES.map((name) => lab(hexOf(block, name), matrix));
    const away = theme === 'light' ? -1 : 1;
    for (let k = 0; k < 4; k++) {
      // lightness leaves the ground step by step, on both sides
      expect(away * (colours[k][0] - colours[k + 1][0])).toBeGreaterThan(0.07);
      expect(away * (colours[8 - k][0] - colours[7 - k][0])).toBeGreaterThan(0.07);
      // and equally strong sides differ in hue
      if (k < 3) expect(apart(colours[k], colours[8 - k])).toBeGreaterThan(0.08);
    }
  });
});

it('goes through its tokens', () => {
  expect(diverging(0)).toBe('var(--even)');
  expect(diverging(1)).toBe('var(--over-4)');
  expect(diverging(-7)).toBe('var(--under-4)');
  expect(diverging(0.25)).toBe('var(--over-1)');
  expect(diverging(0.375)).toBe('color-mix(in srgb, var(--over-1) 50%, var(--over-2))');
});

it('rounds its bounds, and one wild value does not take them', () => {
  expect([0.3, 1, 1.2, 3, 700].map(roundAbove)).toEqual([0.5, 1, 2, 5, 1000]);
  expect(reachOf([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 900])).toBe(1);
  expect(reachOf([Number.NaN, 3])).toBe(3);
});

it('outlines areas of a code and finds where each has most room', () => {
  const z = Array.from({ length: 100 }, (_, k) => (k % 10 < 7 ? 2 : 4));
  const [left, right] = regionsOf(z, 10, 10);
  expect([left.code, right.code]).toEqual([2, 4]);
  expect(left.rings).toHaveLength(1);
  expect(left.inmost[0]).toBeLessThan(6);
  expect(left.depth).toBeGreaterThan(right.depth);
});
