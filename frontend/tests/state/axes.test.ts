// SPDX-License-Identifier: Apache-2.0
// Any factor across, up, or in facets.
import { describe, expect, it } from 'vitest';
import type { FactorValue } from '../../src/api/types';
import { catalogue } from '../../src/engine/catalogue';
import { slicesOf } from '../../src/state/dataSlice';
import { axesAfter, type ExplorerState, swapped, withAxes, withLevel } from '../../src/state/explorer';
import { withFacetLevels } from '../../src/state/facetLevels';
import { defaultAxes, NONE } from '../../src/state/layout';
import { conformed, FIELDS, FOREIGN, fromQuery, toQuery } from '../../src/state/link';
import { predictAt, prepare } from '../../src/state/prediction';
import type { Subject } from '../../src/state/subject';
import { viewOf } from '../../src/state/view';
import { schemaOf } from '../../src/state/viewSchema';
import { bench, designed } from '../designs';
import { dillon, nfs, points, published } from '../published';
import { look } from './look';

const ASPM_VIEW = {
  measure: 'latency_p99_us',
  x: 'factor.rx_usecs',
  y: 'factor.aspm',
  where: { 'factor.c_states': 'all' },
};

const model = (id: string): Subject => {
  const found = catalogue.models.find((m) => m.id === id);
  if (!found) throw new Error(`no model ${id}`);
  return { of: 'model', model: found };
};

describe('axes that change places', () => {
  const own = look(nfs(), '');
  const turned = look(nfs(), 'x=mtu_bytes');

  it('say the same at every place: cells, surface, interval of the fit', () => {
    expect(turned.view.layout.x?.name).toBe('mtu_bytes');
    expect(turned.view.layout.y?.name).toBe('delay_ticks');
    expect(turned.view.points.map((p) => [p.y, p.x, p.mean]).sort()).toEqual(
      own.view.points.map((p) => [p.x, p.y, p.mean]).sort(),
    );
    const [a, b] = [own.view.binding, turned.view.binding];
    if (!a || !b) throw new Error('no model');
    for (const delay of [10, 55, 640])
      for (const mtu of [1500, 2222, 4500])
        expect(predictAt(b, mtu, delay, 'counted', turned.view.start).total).toBeCloseTo(
          predictAt(a, delay, mtu, 'counted', own.view.start).total,
          9,
        );
  });

  it('give a grid that is the other one turned, with its kernel called once', () => {
    const [a, b] = [own.view.binding, turned.view.binding];
    if (!a || !b) throw new Error('no model');
    const [delays, mtus] = [
      [10, 30, 90, 640],
      [1500, 3100, 4500],
    ];
    const one = Array.from(prepare(a, delays, mtus, 'counted').evaluate(a.output, own.view.start));
    const other = prepare(b, mtus, delays, 'counted').evaluate(b.output, own.view.start);
    delays.forEach((_, i) => {
      mtus.forEach((_, j) => {
        expect(other[i * mtus.length + j]).toBeCloseTo(one[j * delays.length + i], 9);
      });
    });
  });
});

describe('a model', () => {
  it('whose own axis is another than the picture’s is still right at every place', () => {
    // its kernel takes the MTU along x; here the MTU runs up
    const subject = designed('hosts', { mtu_bytes: [1500, 9000], delay_us: [0, 50, 100] }, ['throughput_mbps']);
    const { view } = look(subject, 'model=end-system-costs');
    const { binding } = view;
    if (!binding) throw new Error('no model');
    const grid = prepare(binding, [0, 50], [1500, 9000], 'counted').evaluate(binding.output, view.start);
    expect(grid[0]).toBe(grid[1]);
    expect(grid[2]).toBeGreaterThan(grid[0]);
    expect(grid[2]).toBeCloseTo(predictAt(binding, 0, 9000, 'counted', view.start).total, 9);
  });

  it('takes a factor that is no axis at its chosen level, not from a slider', () => {
    const at = (mtu: number) => look(nfs(), `y=none&mtu_bytes=${mtu}`).view;
    for (const [mtu, cost] of [
      [1500, 1216],
      [3000, 1118],
    ]) {
      const { binding, start } = at(mtu);
      if (!binding) throw new Error('no model');
      expect(binding.terms.map((t) => t.name)).toEqual(['alpha', 'beta', 'gamma']);
      expect(predictAt(binding, 80, 0, 'counted', start).total).toBeCloseTo(cost, 0);
    }
  });

  it('says why it cannot be drawn', () => {
    const { view } = look(points(), 'y=workload&measure=packets_per_interrupt');
    expect(view.layout.y?.names).toEqual(['tcp', 'udp']);
    const slice = look(bench(), 'x=driver_version&y=none&measure=system_cpu_percent').view.slice;
    const why = slice.unbound('system_cpu_percent').find((u) => u.model.id === 'interrupt-livelock');
    expect(why?.reason).toMatch(/^needs .* on an axis$/);
    expect(look(nfs(), '').view.slice.unbound('system_cpu_jiffies_per_gb')).toEqual([]);
  });

  it('without data can be drawn over any of its inputs and parameters; the others are sliders', () => {
    const { view } = look(model('moderation-trade'), '');
    expect([view.layout.x?.name, view.layout.y?.name]).toEqual(['moderation_rate_hz', 'frame_bytes']);
    const parameter = view.sliders[0].name;
    const other = look(model('moderation-trade'), `y=${parameter}`).view;
    expect(other.layout.y?.name).toBe(parameter);
    expect(other.sliders.map((s) => s.name)).not.toContain(parameter);
    expect(other.sliders.map((s) => s.name)).toContain('frame_bytes');
    const { binding } = other;
    const level = view.start[parameter];
    if (!binding || !view.binding) throw new Error('no model');
    const frame = other.start.frame_bytes;
    expect(predictAt(binding, 8000, level, 'counted', other.start).total).toBeCloseTo(
      predictAt(view.binding, 8000, frame, 'counted', view.start).total,
      9,
    );
  });
});

describe('a factor that is text', () => {
  it('stands on an axis as its levels, with nothing between', () => {
    const { view, state, schema } = look(bench(), 'y=driver_version&driver_version=none');
    expect(view.layout.y?.names).toEqual(['<b>&=%2C</b>', '6.1', '6.8, patched', 'none']);
    expect(view.field).toBeNull();
    expect(view.mode).toBe('cells');
    expect(schema.slice(state).y?.scales).toEqual([]);
    expect(toQuery(state, schema)).toBe('y=driver_version&driver_version=none');
  });

  it('keeps the crosshair at the level where the level has another place', () => {
    const sparse = bench();
    const cells = sparse.cells.filter((c) => c.factors.packet_rate_hz === 0 || c.factors.driver_version !== '6.1');
    const subject: Subject = { ...sparse, cells };
    const { state, schema } = look(subject, 'x=driver_version&driver_version=none&packet_rate_hz=0');
    const next = withLevel(state, 'packet_rate_hz', 1000, schema);
    const names = (s: ExplorerState) => schema.slice(s).x?.names ?? [];
    expect(names(next)).toHaveLength(names(state).length - 1);
    expect(names(next)[next.x ?? -1]).toBe('none');
  });
});

describe('facets', () => {
  const { view } = look(nfs(), 'facet=mtu_bytes&mtu_bytes=3000');

  it('share axes, height and colours', () => {
    expect(view.layout.shape).toBe('line');
    expect(view.facets.map((f) => [f.level, f.chosen, f.points.length])).toEqual([
      [1500, false, 9],
      [3000, true, 9],
      [4500, false, 9],
    ]);
    const all = view.facets.flatMap((f) => f.points.map((p) => p.mean));
    expect(view.values[0]).toBeLessThanOrEqual(Math.min(...all));
    expect(view.values[1]).toBeGreaterThanOrEqual(Math.max(...all));
  });

  it('need not have all settings of each other', () => {
    const { view: iperf } = look(dillon(), 'facet=workload');
    const alone = look(dillon(), '').view;
    const [a, b] = [iperf.layout.x?.levels ?? [], alone.layout.x?.levels ?? []];
    expect(a.length).toBeGreaterThanOrEqual(b.length);
    expect(iperf.mode).toBe('interpolated');
    for (const p of alone.points) expect(iperf.field?.at(p.x, 0)).toBeCloseTo(alone.field?.at(p.x, 0) ?? Number.NaN, 9);
  });
});

describe('a few of the facets', () => {
  const few = look(bench(), 'y=none&facet=driver_version&driver_version=none,6.1');
  const words = ({ view }: Pick<typeof few, 'view'>) => view.facets.map((f) => [f.level, f.chosen]);

  it('stand side by side in their order; the first that is named is chosen', () => {
    expect(words(few)).toEqual([
      ['6.1', false],
      ['none', true],
    ]);
    expect(few.state.where.driver_version).toBe('none');
    expect(toQuery(few.state, few.schema)).toContain('facet=driver_version&driver_version=none,6.1');
    expect(few.view.layout.choices.find((c) => c.name === 'driver_version')?.levels).toEqual(['6.1', 'none']);
  });

  it('have axes, heights and colours of their own cells', () => {
    const delays = (host: FactorValue) => (host === 'slow' ? [900] : [10, 30, 90]);
    const subject = designed('hosts', { host: ['a', 'b', 'slow'], delay_us: [10, 30, 90, 900] }, ['latency_us']);
    const cells = subject.cells
      .filter(({ factors }) => delays(factors.host).includes(Number(factors.delay_us)))
      .map((cell) => {
        const mean = cell.factors.host === 'slow' ? 1e6 : 100 + Number(cell.factors.delay_us);
        return { ...cell, measures: { latency_us: { ...cell.measures.latency_us, mean } } };
      });
    const at = (hosts: string) => look({ ...subject, cells }, `facet=host&host=${hosts}`).view;
    expect(at('b').layout.x?.levels).toEqual([10, 30, 90, 900]);
    expect(at('b').values[1]).toBeGreaterThanOrEqual(1e6);
    const two = at('b,a');
    expect(two.layout.x?.levels).toEqual([10, 30, 90]);
    expect(two.xBounds[1]).toBeLessThan(200);
    expect(two.values[1]).toBeLessThan(200);
  });

  it('may be one, and may have commas in their names', () => {
    const one = look(bench(), 'y=none&facet=driver_version&driver_version=6.1,6.1');
    expect(words(one)).toEqual([['6.1', true]]);
    const odd = look(
      bench(),
      `y=none&facet=driver_version&driver_version=${encodeURIComponent('6.8%2C patched,none')}`,
    );
    expect(words(odd)).toEqual([
      ['6.8, patched', true],
      ['none', false],
    ]);
    expect(fromQuery(toQuery(odd.state, odd.schema), odd.schema).state).toEqual(odd.state);
  });

  it('are said to be none where there is no such level, or no such facet', () => {
    const read = (query: string) => {
      const { rejected, state } = fromQuery(query, few.schema);
      expect(state.axes.facetLevels).toBeNull();
      return rejected.map(({ name, value, reason }) => `${name}=${value} ${reason}`);
    };
    expect(read('y=none&facet=driver_version&driver_version=none,7')).toEqual([
      'driver_version=none,7 has no such level',
    ]);
    expect(read('y=none&driver_version=none,6.1')).toEqual([
      'driver_version=none,6.1 has several levels only where it is the facet',
    ]);
  });

  it('are let go with their factor, and kept with new data as far as they are there', () => {
    const { state, schema } = few;
    expect(withAxes(state, axesAfter(state.axes, 'facet', 'napi_weight'), schema).axes.facetLevels).toBeNull();
    const later = (without: string) => {
      const subject = bench();
      const cells = subject.cells.filter((c) => c.factors.driver_version !== without);
      const factors = subject.experiment.factors.map((f) => ({ ...f, levels: f.levels.filter((l) => l !== without) }));
      const less: Subject = { ...subject, cells, experiment: { ...subject.experiment, factors } };
      return conformed(state, schemaOf(less, slicesOf(less, catalogue)));
    };
    expect(later('6.8, patched').axes.facetLevels).toEqual(['6.1', 'none']);
    expect(later('6.1').axes.facetLevels).toEqual(['none']);
    expect(later('none').axes.facetLevels).toContain('6.1');
  });

  it('leave the model with what was moved by hand, until another level is chosen', () => {
    const { state, schema } = look(nfs(), 'facet=mtu_bytes&mtu_bytes=3000&gamma=1.2');
    const two = withFacetLevels(state, [1500, 3000], schema);
    expect([two.axes.facetLevels, two.where.mtu_bytes, two.overrides]).toEqual([[1500, 3000], 3000, { gamma: 1.2 }]);
    const other = withFacetLevels(two, [1500], schema);
    expect([other.axes.facetLevels, other.where.mtu_bytes, other.overrides]).toEqual([[1500], 1500, {}]);
    expect(withFacetLevels(other, [1500, 3000, 4500], schema).axes.facetLevels).toBeNull();
  });
});

describe('a scale', () => {
  it('moves the picture and not what lies between the cells', () => {
    const [log, linear] = ['', '&scale=linear'].map((s) => look(dillon(), `workload=ping${s}`).view);
    expect([log.layout.x?.spacing, linear.layout.x?.spacing]).toEqual(['log-from-zero', 'linear']);
    for (const at of [0, 3, 10, 21, 70, 125]) expect(linear.field?.at(at, 0)).toBe(log.field?.at(at, 0));
  });

  it('is left out where it is the one that suits, and refused where it cannot be', () => {
    const schema = look(nfs(), '').schema;
    const { state } = fromQuery('scale=log&yscale=log', schema);
    expect(toQuery(state, schema)).toBe('yscale=log');
    const one = look(bench(), '').schema;
    expect(fromQuery('x=driver_version&scale=log', one).rejected).toEqual([
      { name: 'scale', value: 'log', reason: 'is not a scale that this axis can have' },
    ]);
  });
});

describe('the rail', () => {
  const { state, schema } = look(bench(), 'napi_weight=16&packet_rate_hz=1000');

  it('lets a factor change places with the one that stands there', () => {
    const axes = axesAfter(state.axes, 'x', state.axes.y);
    expect([axes.x, axes.y]).toEqual([state.axes.y, state.axes.x]);
    const next = withAxes(state, axes, schema);
    expect([next.x, next.y]).toEqual([state.y, state.x]);
  });

  it('swaps across and up in one press, and keeps the model with what was moved by hand', () => {
    const own = look(nfs(), 'delay_ticks=160&mtu_bytes=1500&gamma=1.2&scale=linear');
    const next = swapped(own.state, own.schema);
    expect(next.axes).toMatchObject({ x: 'mtu_bytes', y: 'delay_ticks', yScale: 'linear' });
    expect([next.x, next.y, next.overrides]).toEqual([1500, 160, { gamma: 1.2 }]);
    expect(swapped(next, own.schema)).toEqual(own.state);
    const line = look(nfs(), 'facet=mtu_bytes');
    expect(swapped(line.state, line.schema)).toBe(line.state);
  });

  it('keeps what is no axis any more at the setting of the crosshair', () => {
    const next = withAxes(state, axesAfter(state.axes, 'y', 'driver_version'), schema);
    expect(next.where.napi_weight).toBe(16);
    expect(next.where.packet_rate_hz).toBe(1000);
  });

  it('takes a factor from its axis for the facets, and never the last one', () => {
    expect(axesAfter(state.axes, 'facet', state.axes.y)).toMatchObject({ y: NONE, facet: state.axes.y });
    const line = axesAfter(state.axes, 'y', NONE);
    expect(axesAfter(line, 'facet', line.x)).toBe(line);
    expect(axesAfter(line, 'y', line.x)).toBe(line);
  });
});

it('names of factors and parameters are none of the words that an address has for itself', () => {
  const words = [...FIELDS.flatMap((each) => each.names), ...FOREIGN, 'v', NONE];
  const names = [
    ...catalogue.quantities.map((q) => q.name),
    ...catalogue.models.flatMap((m) => [...m.inputs, ...m.parameters].map((q) => q.name)),
  ];
  expect(names.filter((n) => words.includes(n))).toEqual([]);
});

it('500 cells of 100 000 runs make one view like any other, with each slice made once', () => {
  const hosts = Array.from({ length: 20 }, (_, i) => `host-${i}`);
  const design = { host: hosts, mtu_bytes: [1500, 3000, 4500, 6000, 9000], delay_us: [0, 20, 60, 120, 250] };
  const subject = designed('large', design, ['throughput_mbps', 'system_cpu_percent', 'latency_us'], 200);
  expect(subject.cells.reduce((n, c) => n + c.runs, 0)).toBe(100_000);
  const slices = slicesOf(subject, catalogue);
  const schema = schemaOf(subject, slices);
  const { state } = fromQuery('facet=host&measure=latency_us', schema);
  const view = viewOf(subject, slices, state, null, false);
  expect(view.points).toHaveLength(25);
  expect(view.facets).toHaveLength(20);
  expect(slices(state)).toBe(slices({ ...state, where: { ...state.where } }));
  const rows = look(subject, 'y=host').view;
  expect(rows.points).toHaveLength(100);
  expect(rows.layout.y?.levels).toHaveLength(20);
});

describe('an experiment whose settings are words', () => {
  it('opens with them across and up, as its source says, not with one cell', () => {
    const { layout, points: shown } = look(published('aspm-c-states-2026', ASPM_VIEW), '').view;
    expect(layout.shape).toBe('plane');
    expect([layout.x?.name, layout.y?.name]).toEqual(['factor.rx_usecs', 'factor.aspm']);
    expect(new Set(shown.map((p) => `${p.x} ${p.y}`)).size).toBe(4);
  });
});

describe('the axes that an experiment opens with', () => {
  const opened = (x: string, y: string | null) => {
    const { x: across, y: up } = defaultAxes({ ...nfs().experiment, default_view: { measure: '', x, y, where: {} } });
    return [across, up];
  };

  it('are those that the server says', () => {
    expect(opened('delay_ticks', 'mtu_bytes')).toEqual(['delay_ticks', 'mtu_bytes']);
    expect(opened('mtu_bytes', 'delay_ticks')).toEqual(['mtu_bytes', 'delay_ticks']);
    expect(opened('workload', null)).toEqual(['workload', NONE]);
  });

  it('have an MTU that is alone upward, where addresses expect it', () => {
    expect(opened('mtu_bytes', null)).toEqual([NONE, 'mtu_bytes']);
  });

  it('are none where there is no view', () => {
    expect(defaultAxes({ ...nfs().experiment, default_view: null })).toMatchObject({ x: NONE, y: NONE });
  });
});
