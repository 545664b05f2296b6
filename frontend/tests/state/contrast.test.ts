// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { againstCell, againstModel } from '../../src/state/contrast';
import { t95 } from '../../src/state/fit';
import type { Point } from '../../src/state/layout';

const cell = { id: 1, factors: {}, runs: 10, partial_runs: 0, measures: {} };
const point = (mean: number, half: number | null, n = 10): Point => ({
  cell,
  x: 0,
  y: 0,
  n,
  mean,
  half,
  from: half === null ? null : 'replicates',
  partial: false,
});

describe('a cell against the model', () => {
  it('is told apart where its interval leaves the model out', () => {
    expect(againstModel(point(100, 5), 94, 'difference', 24)).toMatchObject({ value: 6, half: 5, judged: 'told' });
    expect(againstModel(point(100, 5), 96, 'difference', 24)).toMatchObject({ value: 4, judged: 'same' });
    expect(againstModel(point(100, null), 50, 'difference', 24).judged).toBe('unjudged');
  });

  it('counts in standard errors of its own replicates', () => {
    expect(againstModel(point(100, 5), 94, 'errors', 24).value).toBeCloseTo((6 / 5) * t95(9), 6);
    const pooled: Point = { ...point(100, 5), from: 'residuals' };
    expect(againstModel(pooled, 94, 'errors', 24).value).toBeCloseTo((6 / 5) * t95(24), 6);
    expect(againstModel(point(100, null), 94, 'errors', 24).value).toBeNaN();
  });

  it('has a ratio only where both are above zero', () => {
    expect(againstModel(point(110, 5), 100, 'ratio', 24).value).toBeCloseTo(1.1);
    expect(againstModel(point(110, 5), 0, 'ratio', 24).value).toBeNaN();
  });
});

describe('a cell against a cell', () => {
  it('has Welch’s interval: with equal errors and runs, t of both degrees of freedom', () => {
    const se = 5 / t95(9);
    const { half, value } = againstCell(point(100, 5), point(90, 5), 'difference', 24);
    expect(value).toBe(10);
    expect(half).toBeCloseTo(t95(18) * Math.SQRT2 * se, 6);
  });

  it('is judged on logarithms as a ratio', () => {
    const told = againstCell(point(120, 2), point(100, 2), 'ratio', 24);
    expect(told).toMatchObject({ judged: 'told' });
    expect(told.value).toBeCloseTo(1.2);
    expect(againstCell(point(101, 2), point(100, 2), 'ratio', 24).judged).toBe('same');
  });

  it('says nothing where one has no interval', () => {
    expect(againstCell(point(120, 2), point(100, null), 'difference', 24).judged).toBe('unjudged');
  });
});
