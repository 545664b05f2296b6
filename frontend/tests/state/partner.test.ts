// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { defaultAxes, defaultWhere, layoutOf } from '../../src/state/layout';
import { partnerOf } from '../../src/state/partner';
import { nfs, points } from '../published';

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
