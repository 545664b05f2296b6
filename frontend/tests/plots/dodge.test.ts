// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { dodge } from '../../src/plots/dodge';

const gaps = (ys: readonly number[]): number[] => ys.slice(1).map((y, i) => y - (ys[i] as number));

test('labels with room stay, and those too near are moved by as much each', () => {
  expect(dodge([10, 40], 13)).toEqual([10, 40]);
  expect(dodge([20, 24], 12)).toEqual([16, 28]);
});

test('ten values at one end are apart, and in their order', () => {
  const ys = [3, 2, 4, 3.5, 2.5, 5, 6, 4.5, 5.5, 7].sort((a, b) => a - b);
  const spread = dodge(ys, 13, 0, 200);
  expect(Math.min(...gaps(spread))).toBeGreaterThan(12.9);
  expect(Math.min(...spread)).toBeGreaterThan(-0.01);
  expect(Math.max(...spread)).toBeLessThanOrEqual(200);
});

test('what has no room for its gaps is spread evenly over what there is', () => {
  const spread = dodge([1, 1, 1, 1, 1], 13, 0, 20);
  expect(spread[0]).toBeCloseTo(0);
  expect(spread.at(-1)).toBeCloseTo(20);
  for (const gap of gaps(spread)) expect(gap).toBeCloseTo(5);
});
