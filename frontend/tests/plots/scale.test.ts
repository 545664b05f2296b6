// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  decadeTicks,
  makeScale,
  niceStep,
  niceTicks,
  paddedDomain,
  type Spacing,
  spacingOf,
} from '../../src/plots/scale';
import { generator } from '../random';

describe('scales', () => {
  it('come back from pixels to values', () => {
    const random = generator(3);
    const cases: [Spacing, number[]][] = [
      ['linear', [1500, 3000, 9000]],
      ['log', [10, 40, 640]],
      ['log-from-zero', [0, 10, 33.3, 125]],
    ];
    for (const [spacing, levels] of cases) {
      const domain = paddedDomain(levels, spacing, 0.065);
      const scale = makeScale(levels, spacing, domain, [40, 640]);
      expect(scale(domain[0])).toBeCloseTo(40, 9);
      expect(scale(domain[1])).toBeCloseTo(640, 9);
      let last = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < 200; i++) {
        const v = domain[0] + (domain[1] - domain[0]) * random();
        expect(scale.invert(scale(v))).toBeCloseTo(v, 8);
      }
      for (let i = 0; i <= 100; i++) {
        const p = scale(domain[0] + ((domain[1] - domain[0]) * i) / 100);
        expect(p).toBeGreaterThan(last);
        last = p;
      }
    }
  });

  it('give nought a place of its own on a logarithmic axis', () => {
    const levels = [0, 10, 100];
    const scale = makeScale(levels, 'log-from-zero', paddedDomain(levels, 'log-from-zero', 0.1), [0, 100]);
    expect(scale(0)).toBeGreaterThan(0);
    expect(scale(10) - scale(0)).toBeCloseTo((scale(100) - scale(10)) * (Math.log(3) / Math.log(10)), 6);
  });

  it('are logarithmic for delays that spread fourfold', () => {
    expect(spacingOf([10, 20, 640], true)).toBe('log');
    expect(spacingOf([0, 10, 125], true)).toBe('log-from-zero');
    expect(spacingOf([1500, 3000, 4500], false)).toBe('linear');
    expect(spacingOf([100], true)).toBe('linear');
  });
});

describe('ticks', () => {
  it('are round and exact', () => {
    expect(niceTicks(0.18, 0.36, 4)).toEqual([0.2, 0.25, 0.3, 0.35]);
    expect(niceTicks(960, 1580, 7)).toEqual([1000, 1100, 1200, 1300, 1400, 1500]);
    expect(decadeTicks(2, 100)).toEqual([2, 5, 10, 20, 50, 100]);
    expect([0.7, 1, 3, 24, 49, 0, Number.NaN].map(niceStep)).toEqual([0.5, 1, 2, 20, 50, 1, 1]);
  });
});
