// SPDX-License-Identifier: Apache-2.0
// The cells of a fit over the axes of a reader's own model: a point is where its cell is, or as far from the surface as its residual.
import { describe, expect, it } from 'vitest';
import type { NonlinearFit } from '../../src/api/types';
import { DEFINITIONS } from '../../src/engine/definitions';
import { mathml } from '../../src/engine/mathml';
import { sourceOf, TEMPLATE } from '../../src/engine/sources';
import { slicesOf } from '../../src/state/dataSlice';
import { stateFor } from '../../src/state/explorer';
import { axisOver, type Observed, offPlane, termOver } from '../../src/state/observed';
import type { Subject } from '../../src/state/subject';
import { modelOf, readDocument } from '../../src/state/userModel';
import { viewOf } from '../../src/state/view';
import { schemaOf } from '../../src/state/viewSchema';

const DELAYS = [10, 40, 320];

const fitOf = (cells: { inputs: Record<string, number>; observed: number; predicted: number }[]): NonlinearFit =>
  ({
    output: 'latency_us',
    identifiable: true,
    estimates: { wait_us: { value: 30, ci95: [20, 40], unit: 'µs' } },
    without_probes: null,
    covariance: null,
    diagnostics: { residual_sd_percent: null, degrees_of_freedom: 4 },
    residuals: cells.map((cell, index) => ({ index, factors: {}, runs: 4, deviation_percent: 0, ...cell })),
  }) as unknown as NonlinearFit;

async function drawn(fit: NonlinearFit) {
  const source = await sourceOf(TEMPLATE);
  const own = modelOf(readDocument(source?.document), DEFINITIONS, mathml, { wait_us: 30 });
  const observed: Observed = { kind: 'measured', fit };
  const subject: Subject = { of: 'model', model: own.model, observed };
  const slices = slicesOf(subject, own.catalogue);
  const schema = schemaOf(subject, slices);
  return { observed, view: viewOf(subject, slices, stateFor(schema, schema.defaults), null, false) };
}

describe('cells of a fit', () => {
  it('stand at their settings, with what was observed', async () => {
    const cells = DELAYS.flatMap((delay_us) =>
      [1500, 9000].map((mtu_bytes) => ({ inputs: { delay_us, mtu_bytes }, observed: delay_us + 50, predicted: 60 })),
    );
    const { view, observed } = await drawn(fitOf(cells));
    expect(view.points.map(({ x, y, mean }) => [x, y, mean])).toEqual(
      [1500, 9000].flatMap((mtu) => DELAYS.map((delay) => [delay, mtu, delay + 50])),
    );
    expect([view.kind, view.measured, offPlane(observed, view.layout, view.start)]).toEqual(['measured', true, []]);
    // ticks at the settings that were measured, and the fit's interval on its slider
    expect(view.layout.x?.levels).toEqual(DELAYS);
    expect(view.layout.x?.bounds?.[1]).toBeGreaterThan(320);
    expect(view.sliders.find((s) => s.name === 'wait_us')).toMatchObject({ start: 30, interval: [20, 40] });
    expect(view.values[1]).toBeGreaterThanOrEqual(370);
  });

  it('off the plane stand as far from the surface as their residual', async () => {
    const cells = [100, 1000, 10_000].map((share, k) => ({
      inputs: { delay_us: DELAYS[k], mtu_bytes: 1500, link_rate_mbps: share },
      observed: 110,
      predicted: 100,
    }));
    const { view, observed } = await drawn(fitOf(cells));
    expect(offPlane(observed, view.layout, view.start)).toEqual(['link_rate_mbps']);
    const on = view.points.find((p) => p.x === 40);
    const off = view.points.find((p) => p.x === 320);
    expect(on?.mean).toBe(110);
    expect(off?.mean).not.toBe(110);
    const there = view.binding && off ? off.mean / 1.1 : Number.NaN;
    // 12 µs on the wire at 1 Gb/s, 30 of waiting, half of the rest of the delay
    const wire = (8 * 1518) / 1000;
    expect(there).toBeCloseTo(wire + 30 + 0.5 * (320 - wire), 6);
  });
});

describe('axes and sliders over cells', () => {
  const fit = fitOf(Array.from({ length: 12 }, (_, k) => ({ inputs: { n: k }, observed: 1, predicted: 1 })));
  const observed: Observed = { kind: 'emulated', fit };
  const axis = { name: 'n', label: 'n', unit: '', levels: [0, 5, 20], spacing: 'linear', bounds: [0, 20] } as const;

  it('keep round ticks where the cells have too many settings', () => {
    expect(axisOver(axis, observed).levels).toEqual([0, 5, 11]);
    expect(axisOver({ ...axis, name: 'other' }, observed)).toEqual({ ...axis, name: 'other' });
  });

  it('start amid the cells', () => {
    const term = { name: 'n', lo: 0, hi: 5, start: 1, step: 1 } as Parameters<typeof termOver>[0];
    expect(termOver(term, observed)).toMatchObject({ start: 5, lo: 0, hi: 11 });
  });
});
