// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { slicesOf } from '../../src/state/dataSlice';
import { stateFor } from '../../src/state/explorer';
import { thetaOf } from '../../src/state/fit';
import { boundsOfPull, pullAt } from '../../src/state/pull';
import type { Subject } from '../../src/state/subject';
import { viewOf } from '../../src/state/view';
import { schemaOf } from '../../src/state/viewSchema';
import { nfs, paperFit } from '../published';

function opened(subject: Subject, fitted = false) {
  const slices = slicesOf(subject, catalogue);
  const schema = schemaOf(subject, slices);
  const state = stateFor(schema, schema.defaults);
  const view = viewOf(subject, slices, state, fitted ? paperFit() : null, false);
  if (!view.binding) throw new Error('no model');
  return { view, binding: view.binding, theta: thetaOf(view.sliders, {}) };
}

const model = (id: string): Subject => ({
  of: 'model',
  model: catalogue.models.find((m) => m.id === id) ?? catalogue.models[0],
});

describe('a pull', () => {
  const { view, binding, theta } = opened(nfs(), true);
  const at = (x: number, y: number) => {
    const pull = pullAt(binding, view.sliders, theta, x, y, 'counted');
    if (!pull) throw new Error('nothing moves');
    return pull;
  };

  it('moves the parameter that does most over its ruler there', () => {
    const pull = at(5, 1500);
    const reach = (name: string) => pull.movers.find((m) => m.slider.name === name)?.reach ?? 0;
    expect(pull.movers.map((m) => m.reach)).toEqual([...pull.movers.map((m) => m.reach)].sort((a, b) => b - a));
    // alpha: 1000 jiffies for each unit of it, wherever the crosshair is
    const alpha = pull.movers.find((m) => m.slider.name === 'alpha')?.slider;
    expect(reach('alpha')).toBeCloseTo(1000 * ((alpha?.hi ?? 0) - (alpha?.lo ?? 0)), 3);
    // interrupts are few at a long delay: gamma does less there
    expect(at(320, 1500).movers.find((m) => m.slider.name === 'gamma')?.reach).toBeLessThan(reach('gamma'));
  });

  it('puts the surface where the hand is, with any of them', () => {
    const pull = at(5, 1500);
    const now = pull.value(theta);
    for (const { slider } of pull.movers)
      for (const share of [0.97, 1.03]) {
        const value = pull.solve(slider, now * share, theta);
        expect(pull.value({ ...theta, [slider.name]: value }) / now, slider.name).toBeCloseTo(share, 4);
      }
  });

  it('stops at the bounds of the parameter', () => {
    const pull = at(5, 1500);
    for (const { slider } of pull.movers) {
      const [lo, hi] = boundsOfPull(slider);
      expect(pull.solve(slider, 1e9, theta)).toBeCloseTo(hi, 4);
      expect(pull.solve(slider, -1e9, theta)).toBeCloseTo(lo, 4);
    }
  });

  it('leaves the others alone, and does nothing where it is already there', () => {
    const pull = at(40, 3000);
    const { slider } = pull.movers[0];
    expect(pull.solve(slider, pull.value(theta), theta)).toBeCloseTo(theta[slider.name], 4);
  });
});

describe('a pull of a model with no data', () => {
  it.each(catalogue.models.map((m) => m.id))('of %s goes where the hand goes, or to a bound', (id) => {
    const { view, binding, theta } = opened(model(id));
    const x = view.layout.x?.levels[1] ?? 0;
    const y = view.layout.y?.levels[1] ?? 0;
    const pull = pullAt(binding, view.sliders, theta, x, y, 'counted');
    if (!pull) return;
    const now = pull.value(theta);
    const target = now * 1.02 + 1e-6;
    for (const { slider } of pull.movers) {
      const value = pull.solve(slider, target, theta);
      const [lo, hi] = boundsOfPull(slider);
      expect(value).toBeGreaterThanOrEqual(lo);
      expect(value).toBeLessThanOrEqual(hi);
      // never further away than before
      const reached = pull.value({ ...theta, [slider.name]: value });
      expect(Math.abs(reached - target), slider.name).toBeLessThanOrEqual(Math.abs(now - target) * 1.0001 + 1e-9);
    }
  });

  it('never moves a code', () => {
    const { view, binding, theta } = opened(model('receive-windowed'));
    const pull = pullAt(binding, view.sliders, theta, 100, 1500, 'counted');
    expect(view.sliders.some((s) => s.name === 'moderation_kind')).toBe(true);
    expect(pull?.movers.some((m) => m.slider.name === 'moderation_kind')).toBe(false);
  });
});
