// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { type Advice, DIRECTIONS, GOALS, type Limit, SHOWN, START_ADVICE } from '../../src/state/advice';
import { slicesOf } from '../../src/state/dataSlice';
import { axesAfter, type ExplorerState, METHODS, stateFor, type ViewSchema } from '../../src/state/explorer';
import { CONTRASTS, FIGURES, turned } from '../../src/state/figure';
import { facetLevelsOf, NONE } from '../../src/state/layout';
import { conformed, FIELDS, fromQuery, toQuery } from '../../src/state/link';
import type { Subject } from '../../src/state/subject';
import { schemaOf } from '../../src/state/viewSchema';
import { bench } from '../designs';
import { dillon, nfs, points } from '../published';
import { generator, pick } from '../random';

const termsFor = (subject: Subject): ViewSchema => schemaOf(subject, slicesOf(subject, catalogue));
const model = (id: string): Subject => ({
  of: 'model',
  model: catalogue.models.find((m) => m.id === id) ?? catalogue.models[0],
});

/** Any axes that the rail can lead to. */
function anyAxes(schema: ViewSchema, random: () => number): ExplorerState['axes'] {
  const names = schema.factors.map((f) => f.name);
  const facets = schema.factors.filter((f) => f.levels.length > 1).map((f) => f.name);
  let { axes } = schema.defaults;
  while (random() < 0.6) {
    const at = pick(random, ['x', 'y', 'facet'] as const);
    const name = pick(random, at === 'x' ? names : at === 'y' ? [...names, NONE] : [...facets, NONE]);
    axes = axesAfter(axes, at, name);
  }
  return { ...axes, xScale: null, yScale: null };
}

/** Anything that can be asked of a recommendation. */
function anyAdvice(measures: readonly string[], random: () => number): Advice {
  const limits = (limit: Limit['limit']) =>
    measures
      .filter(() => random() < 0.2)
      .slice(0, 8)
      .map((measure) => ({ measure, limit, value: 1000 * random() + 1e-6 }));
  return {
    open: pick(random, [null, ...SHOWN]),
    goal: pick(random, [null, ...GOALS]),
    weights: { ...START_ADVICE.weights, cpu: pick(random, [0, 1, 1.5, 3]), latency: 3 * random() },
    limits: DIRECTIONS.flatMap(([, direction]) => limits(direction)),
    current: pick<Advice['current']>(random, [{}, { mtu_bytes: 1500, delay_us: 12.5 }]),
    interface: pick(random, ['eth0', 'enp3s0f0.12', 'br-0_a']),
    driver: pick(random, [null, 'e1000e', 'mlx5_core']),
    kernel: pick(random, [null, '6.1', '6.12.0-amd64']),
  };
}

/** Any state that the explorer can be in. */
function anyState(schema: ViewSchema, random: () => number): ExplorerState {
  const unscaled = anyAxes(schema, random);
  const where = Object.fromEntries(schema.choices(unscaled).map((c) => [c.name, pick(random, c.levels)]));
  const facet = schema.choices(unscaled).find((c) => c.name === unscaled.facet);
  const beside = facet && random() < 0.6 ? facet.levels.filter(() => random() < 0.5) : null;
  const facetLevels = facet ? facetLevelsOf(facet.levels, where[facet.name], beside) : null;
  const plain = schema.slice({ axes: { ...unscaled, facetLevels }, where });
  const scaleOf = (axis: typeof plain.x) => (random() < 0.3 ? (axis?.scales[1] ?? null) : null);
  const axes = { ...unscaled, facetLevels, xScale: scaleOf(plain.x), yScale: scaleOf(plain.y) };
  const slice = schema.slice({ axes, where });
  const measure = pick(random, slice.measures);
  const models = slice.models(measure);
  const chosen = random() < 0.5 || models.length === 0 ? 0 : Math.floor(random() * models.length);
  const between = (axis: typeof slice.x) => {
    if (!axis) return null;
    return axis.names ? pick(random, axis.levels) : axis.lo + (axis.hi - axis.lo) * random();
  };
  const levels = slice.y?.levels ?? [];
  const kept = levels.filter(() => random() < 0.7);
  const overrides: Record<string, number> = {};
  const sliders = models[chosen]?.sliders ?? [];
  const setting = ({ lo, hi }: { lo: number; hi: number }) => {
    const low = Math.max(lo, -10);
    return low + (Math.max(Math.min(hi, 10), Math.min(hi, low + 20)) - low) * random();
  };
  for (const slider of sliders) if (random() < 0.4) overrides[slider.name] = setting(slider);
  const pins = Array.from({ length: sliders.length > 0 ? Math.floor(random() * 5) : 0 }, () => ({
    name: pick(random, ['Fit', 'A * B', 'x:y,z', '&pin=', '𝛼 = 1 µs', '<b>']),
    values: Object.fromEntries(sliders.map((s) => [s.name, setting(s)])),
  }));
  return {
    axes,
    where,
    measure: measure ?? schema.defaults.measure,
    surface: pick(random, ['model', 'cells'] as const),
    figure: pick(random, FIGURES),
    turn: turned({ round: 0, above: 0 }, 720 * random() - 360, 100 * random()),
    contrast: pick(random, CONTRASTS),
    against: random() < 0.3 ? 'virtual-testbed' : null,
    lines: kept.length === levels.length ? null : kept.sort((a, b) => a - b),
    x: between(slice.x),
    y: between(slice.y),
    model: chosen === 0 ? null : models[chosen].id,
    method: pick(random, METHODS),
    base: random() < 0.3,
    frames: pick(random, ['counted', 'full'] as const),
    overrides,
    pins,
    pull: pick(random, [null, ...sliders.map((s) => s.name)]),
    advice: anyAdvice(slice.measures, random),
  };
}

const subjects = {
  nfs: nfs(),
  points: points(),
  dillon: dillon(),
  bench: bench(),
  tcp: model('tcp-coalescing-throughput'),
  link: model('link-bound'),
};

it('some state or other has every parameter in its address', () => {
  const said = new Set<string>();
  for (const subject of Object.values(subjects)) {
    const schema = termsFor(subject);
    const random = generator(13);
    for (let i = 0; i < 100; i++)
      for (const name of new URLSearchParams(toQuery(anyState(schema, random), schema)).keys()) said.add(name);
  }
  expect(FIELDS.flatMap(({ names }) => names).filter((name) => !said.has(name))).toEqual([]);
});

describe.each(Object.entries(subjects))('an address of %s', (_, subject) => {
  const schema = termsFor(subject);

  it('says what the state was, for 400 states', () => {
    const random = generator(11);
    for (let i = 0; i < 400; i++) {
      const state = anyState(schema, random);
      const query = toQuery(state, schema);
      expect(fromQuery(query, schema), query).toEqual({ state, rejected: [] });
    }
  });

  it('holds whole under the same terms, without being written', () => {
    const random = generator(12);
    for (let i = 0; i < 100; i++) {
      const state = anyState(schema, random);
      expect(conformed(state, schema)).toEqual(state);
    }
  });

  it('is empty for the default', () => {
    const start = fromQuery('', schema);
    expect(start.rejected).toEqual([]);
    expect(toQuery(start.state, schema)).toBe('');
    expect(start.state).toEqual(stateFor(schema, schema.defaults));
  });

  it('never breaks the page, whatever it says', () => {
    const random = generator(5);
    const words = [
      '',
      'nan',
      '1e999',
      '-1',
      '𝛼',
      'none',
      '1500,1',
      '<script>',
      '%00',
      'null',
      '0x10',
      ' 7 ',
      'Infinity',
    ];
    const own = FIELDS.flatMap((each) => each.names);
    const names = [...own, 'mtu_bytes', 'delay_ticks', 'alpha', 'workload', '__proto__', 'constructor', ''];
    const good = stateFor(schema, schema.defaults);
    for (let i = 0; i < 400; i++) {
      const query = Array.from(
        { length: 3 },
        () => `${encodeURIComponent(pick(random, names))}=${encodeURIComponent(pick(random, words))}`,
      ).join('&');
      const { state } = fromQuery(query, schema);
      expect(schema.slice(state).measures).toContain(state.measure);
      expect(Object.values(state.overrides).every(Number.isFinite)).toBe(true);
      expect(typeof state.x).toBe(typeof good.x);
    }
  });
});

/** The experiment before the last level of each factor was measured. */
function withoutLast(subject: Subject): Subject {
  if (subject.of !== 'experiment') return subject;
  const { experiment, cells } = subject;
  const factors = experiment.factors.map((f) => (f.levels.length > 2 ? { ...f, levels: f.levels.slice(0, -1) } : f));
  const there = cells.filter((cell) => factors.every((f) => f.levels.includes(cell.factors[f.name])));
  return { ...subject, experiment: { ...experiment, factors }, cells: there };
}

describe('a state whose data have changed', () => {
  it.each([
    ['nfs', nfs()],
    ['points', points()],
    ['dillon', dillon()],
    ['bench', bench()],
  ])('is one that an address can mean: %s, with some of its settings and with all', (name, all) => {
    const [whole, half] = [termsFor(all), termsFor(withoutLast(all))];
    const random = generator(name.length);
    for (let i = 0; i < 200; i++)
      for (const [before, after] of [
        [whole, half],
        [half, whole],
      ]) {
        const state = anyState(before, random);
        const kept = conformed(state, after);
        expect(fromQuery(toQuery(kept, after), after)).toEqual({ state: kept, rejected: [] });
        const { x, y, facet } = state.axes;
        expect(kept.axes).toMatchObject({ x, y, facet });
        if (after.slice(kept).measures.includes(state.measure)) expect(kept.measure).toBe(state.measure);
      }
  });

  it('loses what is no more, and nothing else', () => {
    const schema = termsFor(nfs());
    const { state } = fromQuery('mtu_bytes=1500&lines=1500,4500&gamma=1.2&fit=wls', schema);
    const odd = {
      ...state,
      overrides: { ...state.overrides, rtt_min_us: 5 },
      lines: [1500, 7],
      y: 1e9,
      measure: 'gone',
    };
    expect(conformed(odd, schema)).toEqual({
      ...state,
      lines: null,
      y: schema.slice(state).y?.start,
      measure: schema.defaults.measure,
    });
  });
});

describe('a bad parameter', () => {
  const schema = termsFor(nfs());

  it('falls back alone, and is reported', () => {
    const { state, rejected } = fromQuery('gamma=1.2&delay_ticks=soon&mtu_bytes=1500&nonsense=1&theme=dark', schema);
    expect(state.overrides).toEqual({ gamma: 1.2 });
    expect(state.y).toBe(1500);
    expect(state.x).toBe(schema.slice(state).x?.start);
    expect(rejected).toEqual([
      { name: 'delay_ticks', value: 'soon', reason: 'is not a number' },
      { name: 'nonsense', value: '1', reason: 'is not known here' },
    ]);
  });

  it('is told from its good twin', () => {
    expect(fromQuery('gamma=1.2&delay_ticks=40&mtu_bytes=1500', schema).rejected).toEqual([]);
  });

  it('may be out of bounds, or of another model', () => {
    expect(fromQuery('mtu_bytes=70000', schema).rejected[0].reason).toMatch(/is not between/);
    expect(fromQuery('rtt_min_us=100', schema).rejected[0].reason).toBe('is not known here');
    expect(fromQuery('model=link-bound', schema).rejected[0].reason).toBe('predicts nothing here');
    expect(fromQuery('lines=1500,9000', schema).rejected[0].name).toBe('lines');
    expect(fromQuery('measure=throughput_mbps', schema).rejected[0].reason).toBe('is not measured here');
    expect(fromQuery('measure=receiver_cpu_percent', schema).rejected[0].reason).toContain('traffic_cpu_percent');
  });
});

describe('a measure that has a name of its own now', () => {
  it('is found under it, and said', () => {
    const link = termsFor(model('link-bound'));
    const { state, rejected } = fromQuery('measure=packet_rate_hz', link);
    expect(state.measure).toBe('carried_packet_rate_hz');
    expect(rejected[0].reason).toContain('carried_packet_rate_hz');
    expect(fromQuery('measure=carried_packet_rate_hz', link).rejected).toEqual([]);
  });
});

describe('a pin', () => {
  const schema = termsFor(nfs());
  const good = 'Tuned*alpha:0.8,beta:0.3,gamma:1.2';

  it('stands in the address as people would write it', () => {
    const { state, rejected } = fromQuery(`pin=${good}&pin=${good}`, schema);
    expect(rejected).toEqual([]);
    expect(state.pins).toEqual([0, 1].map(() => ({ name: 'Tuned', values: { alpha: 0.8, beta: 0.3, gamma: 1.2 } })));
    expect(toQuery(state, schema)).toBe(`pin=${good}&pin=${good}`);
  });

  it.each([
    ['Tuned', 'has no parameters'],
    ['*alpha:0.8,beta:0.3,gamma:1.2', 'needs a name'],
    ['Tuned*alpha:0.8,beta:0.3', 'has no number for gamma'],
    ['Tuned*alpha:0.8,beta:0.3,gamma:much', 'has no number for gamma'],
    ['Tuned*alpha:0.8,beta:0.3,gamma:-1e13', 'not between'],
    ['Tuned*alpha:0.8,beta:0.3,gamma:1.2,delta:1', 'names delta'],
  ])('%s falls out alone', (text, reason) => {
    const { state, rejected } = fromQuery(`pin=${good}&pin=${encodeURIComponent(text)}&alpha=0.9`, schema);
    expect(state.pins).toHaveLength(1);
    expect(state.overrides).toEqual({ alpha: 0.9 });
    expect(rejected).toHaveLength(1);
    expect(rejected[0].reason).toContain(reason);
  });

  it('has three others beside it at most', () => {
    const { state, rejected } = fromQuery(Array.from({ length: 5 }, () => `pin=${good}`).join('&'), schema);
    expect(state.pins).toHaveLength(4);
    expect(rejected[0].reason).toBe('is one more than 4');
  });

  it('of another model stays out of the address', () => {
    const { state } = fromQuery(`pin=${good}`, schema);
    expect(toQuery({ ...state, pins: [...state.pins, { name: 'Other', values: { rate: 1 } }] }, schema)).toBe(
      `pin=${good}`,
    );
  });
});

it('reads as people would write it', () => {
  const schema = termsFor(nfs());
  const { state } = fromQuery('mtu_bytes=1500&delay_ticks=40&gamma=1.2&lines=1500,4500', schema);
  expect(toQuery(state, schema)).toBe('lines=1500,4500&mtu_bytes=1500&delay_ticks=40&gamma=1.2');
});
