// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue, modelById } from '../../../src/engine/catalogue';
import { linesShapes } from '../../../src/features/figures/render/lines';
import { curveOf } from '../../../src/features/models/curve';

describe('the picture of a model', () => {
  it.each(catalogue.models.map((model) => [model.id, model] as const))(
    '%s has curves, all within its axes',
    (_, model) => {
      const curve = curveOf(model);
      expect(curve).not.toBeNull();
      if (!curve) return;
      const { panel, resolved } = curve;
      const known = resolved.series.flatMap(({ spots }) => spots.map(({ y }) => y)).filter(Number.isFinite);
      expect(known.length).toBeGreaterThan(100);
      expect(Math.min(...known)).toBeGreaterThanOrEqual(panel.y.domain[0]);
      expect(Math.max(...known)).toBeLessThanOrEqual(panel.y.domain[1]);
      const drawn = JSON.stringify(linesShapes(panel, resolved, { width: 300, height: 190, small: false }));
      expect(drawn).not.toMatch(/NaN|Infinity|undefined|null/);
    },
  );

  it('has no two lines that lie on each other: one has the names of both', () => {
    for (const model of catalogue.models) {
      const drawn = curveOf(model)?.resolved.series.map(({ spots }) => JSON.stringify(spots.map(({ y }) => y)));
      expect(new Set(drawn).size, model.id).toBe(drawn?.length);
    }
    const bound = catalogue.models.find(({ id }) => id === 'moderation-trade');
    const lines = bound && curveOf(bound)?.panel.lines;
    expect(lines).toHaveLength(1);
    expect(lines?.[0].label).toMatch(/^[Ff]rame size \d+, \d+, \d+$/);
  });

  it('is what the model says: the link bound rises with the MTU', () => {
    const model = modelById('link-bound');
    if (!model) throw new Error('no such model');
    const curve = curveOf(model);
    expect(curve?.panel.x.label).toBe('MTU, bytes');
    const [line] = curve?.resolved.series ?? [];
    const at1500 = line.spots.reduce((best, s) => (Math.abs(s.x - 1500) < Math.abs(best.x - 1500) ? s : best));
    // C (MTU + 18) / (MTU + 38), of 1000 Mb/s
    expect(at1500.y).toBeCloseTo((1000 * (at1500.x + 18)) / (at1500.x + 38), 6);
  });
});
