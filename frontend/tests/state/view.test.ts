// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Fit } from '../../src/api/types';
import { catalogue } from '../../src/engine/catalogue';
import { comparisonOf, residual, worstOf } from '../../src/features/explorer/figure/residuals';
import { fitRequestOf } from '../../src/features/explorer/prefetch';
import { bindingOf, slicesOf } from '../../src/state/dataSlice';
import { predictionHalf } from '../../src/state/fit';
import { fromQuery } from '../../src/state/link';
import { gradientAt, predictAt } from '../../src/state/prediction';
import type { Subject } from '../../src/state/subject';
import { viewOf } from '../../src/state/view';
import { schemaOf } from '../../src/state/viewSchema';
import { designed } from '../designs';
import { dillon, experimentOf, nfs, paperFit, points } from '../published';
import { look } from './look';

const bySession = (clusters: number): Fit['independence'] => ({
  verdict: 'by_cluster',
  reason: null,
  clusters,
  cluster_kind: 'session',
  cluster_p_value: null,
  drift_percent: null,
  drift_p_value: null,
  autocorrelation: null,
  autocorrelation_p_value: null,
});

describe('a link rate starts', () => {
  const startOver = (mbps: number): number | undefined => {
    const made = designed('host', { mtu_bytes: [1500, 9000], delay_us: [10, 40] }, ['throughput_mbps']);
    const cells = made.cells.map((cell, i) => ({
      ...cell,
      measures: { throughput_mbps: { n: 1, mean: i === 2 ? mbps : 1, sd: null, ci95: null } },
    }));
    return look({ ...made, cells }, 'model=tcp-coalescing-throughput', false).view.start.link_rate_mbps;
  };

  it('where the model has it, or at the least that carries what was measured', () => {
    expect([80, 940, 2400, 9870, 2e6].map(startOver)).toEqual([100, 1000, 2500, 10000, 2e6]);
  });

  it('where the model has it, without data', () => {
    const model = catalogue.models.find((m) => m.id === 'tcp-coalescing-throughput');
    if (!model) throw new Error('no such model');
    expect(look({ of: 'model', model }, '', false).view.start.link_rate_mbps).toBe(100);
  });
});

describe('the NFS cells', () => {
  const { view, state } = look(nfs(), '');
  const theta = view.start;

  it('are a plane of nine delays and three MTUs under the model of their cost', () => {
    expect(view.layout.shape).toBe('plane');
    expect(view.layout.x?.levels).toHaveLength(9);
    expect(view.layout.y?.levels).toEqual([1500, 3000, 4500]);
    expect(view.binding?.model.id).toBe('cpu-overhead-surface');
    expect(view.mode).toBe('model');
    expect([state.x, state.y]).toEqual([80, 3000]);
  });

  it('lie within 1.86 % of the paper’s own fit, the worst of them at 1500 / 320', () => {
    const comparison = comparisonOf(view, 'counted');
    const worst = worstOf(view.points, comparison?.predictions(theta) ?? new Float64Array());
    expect(worst?.percent).toBeCloseTo(-1.861, 2);
    expect([worst?.point.y, worst?.point.x]).toEqual([1500, 320]);
  });

  it('lie above it when every packet counts as full', () => {
    const comparison = comparisonOf(view, 'full');
    const out = comparison?.predictions(theta) ?? new Float64Array();
    const low = view.points.map((p, i) => residual(p, out[i]));
    expect(Math.min(...low)).toBeGreaterThan(0.5);
    expect(Math.max(...low)).toBeLessThan(11);
  });

  it('cost 1118 jiffies at 3000 / 80: 813 for bytes, 115 for packets, 190 for interrupts', () => {
    if (!view.binding) throw new Error('no model');
    const { total, parts } = predictAt(view.binding, 80, 3000, 'counted', theta);
    expect(total).toBeCloseTo(1118, 0);
    expect(parts.map(Math.round)).toEqual([813, 115, 190]);
    expect(parts.reduce((a, b) => a + b)).toBeCloseTo(total, 9);
  });

  it('know how sure a prediction is, misfit included', () => {
    if (!view.binding || !view.fit) throw new Error('no fit');
    const names = ['alpha', 'beta', 'gamma'];
    const gradient = gradientAt(view.binding, names, 80, 3000, 'counted', theta);
    expect(gradient[0]).toBeCloseTo(1000, 4);
    // of the surface alone 3.4; cells deviate from it by 0.86 %
    expect(predictionHalf(view.fit, names, gradient, 1118)).toBeCloseTo(Math.hypot(3.4, 19.8), 0);
    const twice = { ...view.fit, diagnostics: { ...view.fit.diagnostics, residual_sd_percent: 1.72 } };
    expect(predictionHalf(twice, names, gradient, 1118)).toBeCloseTo(Math.hypot(3.4, 39.7), 0);
    // of a covariance that two days told a t of one degree of freedom, and of three that of two
    const { fit } = view;
    const byCluster = (clusters: number): Fit => ({
      ...fit,
      bootstrap: { ...fit.bootstrap, unit: 'clusters' },
      independence: bySession(clusters),
    });
    expect(predictionHalf(byCluster(2), names, gradient, 1118)).toBeCloseTo(Math.hypot((3.4 / 2.06) * 12.7, 19.8), 0);
    expect(predictionHalf(byCluster(3), names, gradient, 1118)).toBeCloseTo(Math.hypot((3.4 / 2.06) * 4.3, 19.8), 0);
    // a fitted idle load is no part of the surface
    const idle = {
      ...view.fit,
      estimates: { ...view.fit.estimates, base: view.fit.estimates.alpha },
      covariance: [...(view.fit.covariance ?? []).map((row) => [...row, 9]), [9, 9, 9, 9]],
    };
    expect(predictionHalf(idle, names, gradient, 1118)).toBeCloseTo(Math.hypot(3.4, 19.8), 0);
  });

  it('carry ± 1.8 % from the residuals, for the response that was fitted only', () => {
    expect(view.points.every((p) => p.from === 'residuals')).toBe(true);
    expect((100 * (view.points[0].half ?? 0)) / view.points[0].mean).toBeCloseTo(1.77, 1);
    const other = look(nfs(), 'measure=packets_per_interrupt').view;
    expect(other.points.every((p) => p.half === null)).toBe(true);
  });

  it('are interpolated where no model was fitted to them, and can be set beside one', () => {
    const plain = look(nfs(), 'measure=packets_per_interrupt').view;
    expect(plain.mode).toBe('interpolated');
    for (const p of plain.points) expect(plain.field?.at(p.x, p.y)).toBeCloseTo(p.mean, 9);
    const beside = look(nfs(), 'measure=packets_per_interrupt&model=timer-packets-per-interrupt').view;
    expect(beside.mode).toBe('model');
  });
});

describe('the points of the text', () => {
  it('stand beside the timer: 80, 41, 27, 22 against 81, 42, 29, 22', () => {
    const { view } = look(points(), 'model=timer-packets-per-interrupt');
    const at960 = view.points.filter((p) => p.x === 960);
    const out = comparisonOf(view, 'counted')?.predictions(view.start) ?? new Float64Array();
    expect(at960.map((p) => p.mean)).toEqual([80, 41, 27, 22]);
    expect(at960.map((p) => out[view.points.indexOf(p)])).toEqual([81, 42, 29, 22]);
  });

  it('are drawn as they are until a model is chosen, and not bridged: no fit has set one for them', () => {
    for (const measure of ['packets_per_interrupt', 'throughput_mbps']) {
      const { view } = look(points(), `measure=${measure}`);
      expect([view.binding, view.mode]).toEqual([null, 'cells']);
    }
    const { view } = look(points(), 'measure=throughput_mbps');
    expect(view.field).toBeNull();
    expect(view.mode).toBe('cells');
  });
});

describe('other shapes of experiments', () => {
  it('without an MTU are lines over the delay', () => {
    const { view } = look(dillon(), '', false);
    expect(view.layout).toMatchObject({ shape: 'line', across: 'x', y: null });
    expect(view.mode).toBe('interpolated');
    expect(look(dillon(), 'workload=ping', false).view.layout.x?.spacing).toBe('log-from-zero');
  });

  it('without a delay are lines over the MTU', () => {
    const cells = [1500, 3000, 9000].map((mtu_bytes, id) => ({
      id,
      factors: { mtu_bytes },
      runs: 3,
      partial_runs: 0,
      measures: { throughput_mbps: { n: 3, mean: 900 + mtu_bytes / 100, sd: 1, ci95: [898, 902] as [number, number] } },
    }));
    const subject: Subject = { of: 'experiment', experiment: experimentOf('veth', cells), cells };
    const { view } = look(subject, 'model=link-bound', false);
    expect(view.layout).toMatchObject({ shape: 'line', across: 'y', x: null });
    expect(view.binding?.model.id).toBe('link-bound');
    expect(view.slice.missing.map((m) => m.name)).toContain('packets_per_interrupt');
    if (view.binding) expect(predictAt(view.binding, 0, 1500, 'counted', view.start).total).toBeCloseTo(987.0, 1);
  });

  it('of a single cell are a point', () => {
    const cells = [
      {
        id: 1,
        factors: { mtu_bytes: 1500 },
        runs: 1,
        partial_runs: 0,
        measures: { latency_us: { n: 1, mean: 57, sd: null, ci95: null } },
      },
    ];
    const { view } = look({ of: 'experiment', experiment: experimentOf('one', cells), cells }, '', false);
    expect(view.layout.shape).toBe('point');
    expect(view.points).toHaveLength(1);
  });

  it('include models without data, every one of them', () => {
    for (const model of catalogue.models) {
      const subject: Subject = { of: 'model', model };
      for (const output of model.outputs) {
        const { view } = look(subject, '', false);
        expect(view.binding?.model.id).toBe(model.id);
        expect(view.values.every(Number.isFinite), `${model.id} ${output.name}`).toBe(true);
      }
    }
  });
});

describe('a fit that is far from its cells', () => {
  const near = paperFit();
  const rejected = (misfit_percent: number): Fit => ({
    ...near,
    message: `The replicates reject the model: cells deviate from it by ${misfit_percent} %. It is farthest off at MTU 3000.`,
    diagnostics: {
      ...near.diagnostics,
      lack_of_fit: {
        f: 3478,
        p_value: 1e-9,
        rejected: true,
        misfit_percent,
        noise_percent: 0.6,
        bounded: false,
        model_degrees_of_freedom: 45,
        noise_degrees_of_freedom: 432,
      },
    },
  });
  const drawn = (fit: Fit, query = '') => {
    const slices = slicesOf(nfs(), catalogue);
    const { state } = fromQuery(query, schemaOf(nfs(), slices));
    return viewOf(nfs(), slices, state, fit, false);
  };

  it('leaves the data as they are, and says why; whoever chose the model sees it', () => {
    expect(drawn(near).mode).toBe('model');
    expect(drawn(rejected(4.2)).mode).toBe('model');
    const view = drawn(rejected(12));
    expect([view.mode, view.binding]).toEqual(['interpolated', null]);
    expect(view.turnedDown?.why).toMatch(/replicates reject the model: .*by 12 %.*farthest off at MTU 3000/);
    expect(drawn(rejected(12), `model=${view.turnedDown?.model.id}`).mode).toBe('model');
    expect(drawn(rejected(12), 'gamma=1.2').mode).toBe('model');
  });

  it('has no word of replicates where there are none', () => {
    const far = { ...near, diagnostics: { ...near.diagnostics, residual_sd_percent: 12 } };
    expect(drawn(far).turnedDown?.why).toBe('Cells deviate from it by 12 %.');
  });

  it('stands for no model that the cells do not identify', () => {
    const view = drawn({ ...near, identifiable: false, message: 'Bytes and packets go together.' });
    expect([view.mode, view.turnedDown?.why]).toEqual(['interpolated', 'Bytes and packets go together.']);
  });
});

it('a model is no default while a setting of the design is missing, nor of a table that is only opened', {
  tags: 'fault:P8',
}, () => {
  const whole = nfs();
  const partial = { ...whole, cells: whole.cells.slice(1) };
  const opened = { ...whole, opened: true };
  for (const subject of [partial, opened]) {
    const slices = slicesOf(subject, catalogue);
    const { state } = fromQuery('', schemaOf(subject, slices));
    expect(viewOf(subject, slices, state, null, false).binding).toBeNull();
  }
});

describe('a cost in seconds', () => {
  const { cells, experiment } = nfs();
  const inSeconds = cells.map((cell) => {
    const jiffies = cell.measures.system_cpu_jiffies_per_gb;
    const seconds = { ...jiffies, mean: jiffies.mean / 100 };
    return { ...cell, measures: { ...cell.measures, traffic_cpu_s_per_gb: seconds } };
  });
  const described = experimentOf('lab', inSeconds, experiment.default_view);
  const subject: Subject = { of: 'experiment', experiment: described, cells: inSeconds };

  it('starts at the paper’s costs in seconds where nothing was fitted', () => {
    const { view } = look(subject, 'measure=traffic_cpu_s_per_gb', false);
    expect(view.binding?.model.id).toBe('cpu-overhead-surface');
    expect(view.sliders.map((s) => s.unit)).toEqual(['s/MB', 's/kpacket', 's/kinterrupt']);
    const comparison = comparisonOf(view, 'counted');
    const worst = worstOf(view.points, comparison?.predictions(view.start) ?? new Float64Array());
    expect(worst?.percent).toBeCloseTo(-1.861, 2);
  });

  it('leaves a cost in jiffies in jiffies', () => {
    const { view } = look(subject, '', false);
    expect(view.sliders.map((s) => s.unit)).toEqual(['jiffies/MB', 'jiffies/kpacket', 'jiffies/kinterrupt']);
  });

  it('is fitted as the measure of the whole run that it is of', () => {
    const request = (query: string) => {
      const slices = slicesOf(subject, catalogue);
      const { state } = fromQuery(query, schemaOf(subject, slices));
      return fitRequestOf(subject, state, bindingOf(slices(state), state));
    };
    expect(request('measure=traffic_cpu_s_per_gb')?.response).toBe('traffic_cpu_s');
    expect(request('')?.response).toBe('system_cpu_jiffies');
    expect(request('measure=packets_per_interrupt')).toBeNull();
  });
});

describe('A picture without an axis', () => {
  const single = designed('single', { kernel_version: ['6.1'] }, ['system_cpu_percent']);
  const { view } = look(single, '', false);

  it('holds its cells in the middle', () => {
    expect(view.layout.shape).toBe('point');
    expect(view.points.map((p) => p.x)).toEqual([(view.xBounds[0] + view.xBounds[1]) / 2]);
  });

  it('opens without a model that would take nothing of them, and offers it', () => {
    expect(view.binding).toBeNull();
    expect(view.models.length).toBeGreaterThan(0);
  });
});
