// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { againstCell, againstModel, partnerOf } from '../../src/state/contrast';
import { t95 } from '../../src/state/fit';
import { defaultAxes, defaultWhere, layoutOf, type Point } from '../../src/state/layout';
import { nfs, points } from '../published';

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

describe('a partner', () => {
  const { experiment, cells } = nfs();
  const axes = defaultAxes(experiment);
  const where = defaultWhere(experiment, cells, axes);
  const layout = layoutOf(experiment, cells, { axes, where });

  it('stands at our settings', () => {
    const partner = partnerOf(layout, where, 'packets_per_interrupt', points());
    expect(partner?.points.length).toBeGreaterThan(3);
    expect(partner?.points.some((p) => p.x === 10 && p.y === 1500)).toBe(true);
  });

  it('is translated where its delays are in other units', () => {
    const other = nfs();
    const inMicroseconds = {
      experiment: {
        ...other.experiment,
        factors: other.experiment.factors.map((f) =>
          f.name === 'delay_ticks'
            ? { ...f, name: 'delay_us', levels: f.levels.map((v) => (typeof v === 'number' ? v * 1.024 : v)) }
            : f,
        ),
      },
      cells: other.cells.map((c) => {
        const { delay_ticks, ...factors } = c.factors;
        return { ...c, factors: { ...factors, delay_us: Number(delay_ticks) * 1.024 } };
      }),
    };
    const partner = partnerOf(layout, where, 'packets_per_interrupt', inMicroseconds);
    const own = partnerOf(layout, where, 'packets_per_interrupt', other);
    expect(partner?.points.map((p) => [p.x, p.y, p.mean])).toEqual(own?.points.map((p) => [p.x, p.y, p.mean]));
  });

  it('is none where it lies over another plane', () => {
    const other = { ...experiment, factors: experiment.factors.filter((f) => f.name !== 'mtu_bytes') };
    expect(partnerOf(layout, where, 'packets_per_interrupt', { experiment: other, cells })).toBeNull();
  });
});
