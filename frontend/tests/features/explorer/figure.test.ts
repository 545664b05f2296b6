// SPDX-License-Identifier: Apache-2.0
// The picture as data: what is drawn for each experiment, measure, model and size.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { DEFINITIONS } from '../../../src/engine/definitions';
import { liveShapes, stillShapes } from '../../../src/features/explorer/chartRenderer';
import { frameOf, isCutOff } from '../../../src/features/explorer/figure/frame';
import { keyOf } from '../../../src/features/explorer/figure/key';
import { strokes } from '../../../src/features/explorer/figure/lines';
import { GRID, samplerOf, seriesOf } from '../../../src/features/explorer/figure/live';
import { settingWords } from '../../../src/features/explorer/figure/messages';
import { labelPlace } from '../../../src/features/explorer/figure/names';
import { comparisonOf, residualShapes, residualWords } from '../../../src/features/explorer/figure/residuals';
import { rulerShapes } from '../../../src/features/explorer/figure/ruler';
import { splitShapes } from '../../../src/features/explorer/figure/split';
import type { Scene } from '../../../src/features/explorer/scene';
import { isolines, trace } from '../../../src/plots/contours';
import { shapeText } from '../../../src/plots/file';
import type { Attributes, Shape } from '../../../src/plots/shapes';
import { slicesOf } from '../../../src/state/dataSlice';
import type { ExplorerState } from '../../../src/state/explorer';
import { fromQuery } from '../../../src/state/link';
import type { Subject } from '../../../src/state/subject';
import { viewOf } from '../../../src/state/view';
import { schemaOf } from '../../../src/state/viewSchema';
import { designed } from '../../designs';
import { dillon, experimentOf, nfs, paperFit, points } from '../../published';

const TOKENS = new Proxy({}, { get: () => '#123456' }) as Record<string, string>;

interface OnMounted {
  readonly scene: Scene;
  readonly state: ExplorerState;
  readonly layers: Record<string, Shape[]>;
}

function drawn(subject: Subject, query: string, size: readonly [number, number] = [830, 700]): OnMounted {
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(query, schemaOf(subject, slices));
  const view = viewOf(subject, slices, state, subject.of === 'experiment' ? paperFit() : null, false);
  const frame = frameOf(view, view.values, ...size);
  const sampler = samplerOf(view, frame, seriesOf(view, state, slices), state.frames);
  const live = sampler.live(state);
  const lines = isolines(view.contours);
  if (live.z) trace(live.z, GRID, GRID, lines);
  const scene: Scene = {
    view,
    frame,
    sampler,
    live,
    isolines: lines,
    namesAt: labelPlace(view, frame, live, sampler.lineXs, 0),
  };
  return { scene, state, layers: { ...stillShapes(view, frame, sampler), ...liveShapes(scene) } };
}

const words = (shapes: readonly Shape[]): string[] =>
  shapes.filter((s) => s.tag === 'text').map((s) => s.text ?? (s.spans ?? []).map((p) => p.text).join(''));

function broken(shapes: readonly Shape[]): string[] {
  return shapes.map((s) => shapeText(s, TOKENS)).filter((t) => /NaN|Infinity|undefined/.test(t));
}

const placeOf = ({ attributes }: Shape): [number, number] => {
  const [x, y] = /translate\((\S+) (\S+)\)/.exec(String(attributes.transform))?.slice(1).map(Number) ?? [];
  return [x, y];
};

it('contour labels never overlap, on a phone neither', () => {
  const model = catalogue.models.find(({ id }) => id === 'tcp-coalescing-throughput');
  if (!model) throw new Error('no such model');
  const { layers } = drawn({ of: 'model', model }, '', [358, 450]);
  const labels = layers.contours.map(placeOf);
  expect(labels.length).toBeGreaterThan(2);
  for (const [i, [x, y]] of labels.entries())
    for (const [a, b] of labels.slice(0, i)) expect(Math.hypot(x - a, y - b)).toBeGreaterThan(26);
});

it('no contour is named where the surface jumps and several lie on each other', () => {
  const model = catalogue.models.find(({ id }) => id === 'tcp-coalescing-throughput');
  if (!model) throw new Error('no such model');
  const { scene, layers } = drawn({ of: 'model', model }, '', [830, 700]);
  const { frame, live } = scene;
  const [heat, z] = [frame.heat, live.z];
  if (!heat || !z) throw new Error('no surface');
  expect(layers.contours.length).toBeGreaterThan(2);
  const levels = scene.isolines.map(({ level }) => level);
  const step = Math.min(...levels.slice(1).map((level, i) => level - levels[i]));
  for (const [x, y] of layers.contours.map(placeOf)) {
    const column = Math.round(((x - frame.left) / frame.plotWidth) * (GRID - 1));
    const row = Math.round(((heat.top + heat.height - y) / heat.height) * (GRID - 1));
    expect(Math.abs(z[(row + 1) * GRID + column] - z[(row - 1) * GRID + column]), `${x} ${y}`).toBeLessThan(2 * step);
  }
});

it('says of an axis that does not begin at zero that it does not', () => {
  expect(isCutOff(drawn(nfs(), '').scene.view)).toBe(false); // the cost of the bytes is its floor, and drawn
  expect(isCutOff(drawn(nfs(), 'model=none').scene.view)).toBe(true);
  expect(isCutOff(drawn(nfs(), 'measure=packets_per_interrupt').scene.view)).toBe(false);
});

it('a file says in words what the page says with a key', () => {
  expect(keyOf(drawn(nfs(), '').scene.view)).toEqual([
    'cell mean, ± 1.8 % pooled from residuals',
    'joined: not significantly different',
    'hatched: extrapolated',
  ]);
  expect(keyOf(drawn(nfs(), 'view=residuals').scene.view)).toEqual([]);
});

it('where runs depend on when they were recorded, no residuals stand in for an interval, and the key says why', () => {
  const subject = nfs();
  const reason = 'The replicates of a setting were recorded one after another.';
  const found = { verdict: 'refused', reason } as NonNullable<(typeof subject)['independence']>[string];
  const measure = drawn(subject, '').scene.view.measure.name;
  const cells = subject.cells.map((cell) => ({
    ...cell,
    measures: { ...cell.measures, [measure]: { ...cell.measures[measure], sd: 12, ci95: null } },
  }));
  const { view } = drawn({ ...subject, cells, independence: { [measure]: found } }, '').scene;
  expect(view.points.every(({ half }) => half === null)).toBe(true);
  expect(keyOf(view).slice(0, 2)).toEqual(['cell mean of 10, no interval', reason]);
});

it('a residual is a share of its cell, and of a cell of nought a difference', () => {
  const { view } = drawn(nfs(), '').scene;
  const [point] = view.points;
  const digits = { percent: 1, value: 0 };
  expect(residualWords(view, { ...point, mean: 4000 }, 3900, digits)).toBe('+2.5 %');
  expect(residualWords(view, { ...point, mean: 0 }, 3900, digits)).toBe('\u22123900 jiffies');
});

it('nothing of a level beside is drawn off the plot, and a whisker that is cut has no cap', () => {
  const hosts = designed('hosts', { host: ['a', 'b', 'c'] }, ['latency_us']);
  const values = { a: [12, 11, 13], b: [12, -80, 104], c: [900, 899, 901] } as const;
  const cells = hosts.cells.map((cell) => {
    const [mean, lo, hi] = values[cell.factors.host as keyof typeof values];
    return { ...cell, measures: { latency_us: { n: 2, mean, sd: 1, ci95: [lo, hi] as [number, number] } } };
  });
  const factors = hosts.experiment.factors.map((factor) => ({ ...factor, choice: false }));
  const { scene, layers } = drawn({ ...hosts, experiment: { ...hosts.experiment, factors }, cells }, 'host=a');
  const { top, height } = scene.frame.lines;
  const path = (p: Shape): string => String(p.attributes.d ?? '');
  const whiskers = layers.points.map(path).filter((d) => d.includes('V'));
  const heights = whiskers.flatMap((d) => [...d.matchAll(/ (-?[\d.]+)V(-?[\d.]+)/g)].flatMap(([, a, b]) => [+a, +b]));
  expect(heights).toHaveLength(4);
  for (const y of heights) expect(y >= top - 8 && y <= top + height + 1, `${y}`).toBe(true);
  expect(layers.points.map(path).join('').match(/h6/g)).toHaveLength(2);
});

describe('the NFS picture', () => {
  const { scene, layers } = drawn(nfs(), '');

  it('has a mark with its whisker for each of 27 cells, twice', () => {
    const outlines = (shapes: readonly Shape[], looks: Attributes): number =>
      shapes
        .filter(({ attributes }) => Object.entries(looks).every(([name, value]) => attributes[name] === value))
        .reduce((n, { attributes }) => n + String(attributes.d).split('Z').length - 1, 0);
    expect(outlines(layers.cells, { stroke: 'var(--on-bright)' })).toBe(27);
    expect(outlines(layers.points, { fill: 'var(--ground)' })).toBe(27);
    expect(layers.cells.some((s) => s.attributes['stroke-dasharray'] === '2 1.5')).toBe(true);
  });

  it('reads off one value a line, and the crosshair’s own in the accent', () => {
    expect(words(layers.crosshair)).toEqual(['80 ticks = 81.9 µs', '1216', '1118', '1068', '3000']);
    const own = layers.crosshair.find((s) => s.text === '1118');
    expect(own?.attributes.fill).toBe('var(--crosshair-ink)');
  });

  it('hatches what lies beyond the cells, and labels contours within', () => {
    expect(layers.under.some((s) => s.attributes.fill === 'url(#hatch)')).toBe(true);
    expect(words(layers.contours).length).toBeGreaterThan(4);
    expect(words(layers.contours)).toContain('1100');
  });

  it('joins the cells that are not significantly different, and no others', () => {
    expect(scene.view.ties.length).toBeGreaterThan(5);
    for (const [a, b] of scene.view.ties)
      expect(Math.abs(a.mean - b.mean)).toBeLessThan(Math.hypot(a.half ?? 0, b.half ?? 0));
  });

  it('follows a slider: surface, lines and tags', () => {
    const moved = drawn(nfs(), 'gamma=1.3');
    expect(moved.scene.live.edited).toBe(true);
    expect(moved.scene.live.place.half).toBeNull();
    expect(moved.scene.live.z?.[0]).toBeGreaterThan(scene.live.z?.[0] ?? Number.POSITIVE_INFINITY);
    expect(words(moved.layers.crosshair)).not.toEqual(words(layers.crosshair));
  });

  it('draws the line of a crosshair between the settings', () => {
    expect(drawn(nfs(), 'mtu_bytes=2000').scene.live.own?.at).toBeGreaterThan(1118);
    expect(scene.live.own).toBeNull();
  });

  it('takes away lines that were switched off', () => {
    expect(words(drawn(nfs(), 'lines=1500').layers.names)).toEqual(['MTU 1500']);
  });
});

it('dots the lines of a level beyond its own cells, and goes to nought and no further', () => {
  // the workloads share their axes, and one of them has fewer cells on these
  const designs = [
    ['tcp', [1500, 3000, 9000], [10, 40, 160, 640, 5000]],
    ['udp', [1500, 3000], [10, 40, 160, 640]],
  ] as const;
  const settings = designs.flatMap(([workload, mtus, delays]) =>
    mtus.flatMap((mtu_bytes) => delays.map((delay_us) => ({ workload, mtu_bytes, delay_us }))),
  );
  const cells = settings.map((factors, id) => {
    const mean = Math.max(1, 200 - 180 * (factors.delay_us / 640) ** 2);
    return {
      id,
      factors,
      runs: 5,
      partial_runs: 0,
      measures: { throughput_mbps: { n: 5, mean, sd: null, ci95: null } },
    };
  });
  const subject: Subject = { of: 'experiment', experiment: experimentOf('bench', cells), cells };
  const { scene } = drawn(
    subject,
    'x=delay_us&y=mtu_bytes&facet=workload&workload=udp&measure=throughput_mbps&model=none',
  );
  const all = strokes(scene.view, scene.live, scene.sampler);
  const lineOf = (mtu: number) =>
    all.filter(({ values }) => values === scene.live.curves.find((c) => c.series?.y === mtu)?.values);
  const solid = lineOf(1500).filter(({ attributes }) => !('stroke-dasharray' in attributes));
  const [, last] = solid[0].parts[0];
  expect(scene.sampler.lineXs[last]).toBeCloseTo(640, -2);
  // no cell of this level has that MTU
  expect(lineOf(9000).map(({ attributes }) => attributes['stroke-dasharray'])).toEqual(['2 3']);
  expect(Math.min(...lineOf(1500)[0].values)).toBe(0);
});

it('lays workloads side by side where only the MTU varies', () => {
  const cells = ['tcp', 'udp'].flatMap((workload, w) =>
    [1500, 3000, 9000].map((mtu_bytes, i) => ({
      id: 10 * w + i,
      factors: { workload, mtu_bytes },
      runs: 5,
      partial_runs: 0,
      measures: {
        throughput_mbps: {
          n: 5,
          mean: 1000 * (w + 1) + mtu_bytes,
          sd: 9,
          ci95: [0, 0].map((_, k) => 1000 * (w + 1) + mtu_bytes + 20 * k - 10) as [number, number],
        },
      },
    })),
  );
  const base = nfs().experiment;
  const experiment = {
    ...base,
    kind: 'measured' as const,
    factors: [
      { name: 'mtu_bytes', label: 'MTU', unit: 'bytes', levels: [1500, 3000, 9000], level_count: 3, choice: true },
      { name: 'workload', label: 'Workload', unit: '', levels: ['tcp', 'udp'], level_count: 2, choice: false },
    ],
    measures: DEFINITIONS.filter((q) => q.name === 'throughput_mbps').map((q) => ({ ...q, cells: 6, raw: false })),
    default_view: { measure: '', x: 'mtu_bytes', y: null, where: {} },
  };
  const { layers, scene } = drawn({ of: 'experiment', experiment, cells }, 'workload=udp');
  expect(scene.frame.heat).toBeNull();
  expect(words(layers.crosshair).filter((t) => /TCP|UDP/.test(t))).toEqual(['TCP 4000', 'UDP 5000']);
  expect(layers.points.filter((s) => s.tag === 'path')).toHaveLength(6);
});

describe('nothing that is drawn is broken', () => {
  const sizes = [
    [830, 700],
    [358, 520],
  ] as const;
  const data: [string, Subject][] = [
    ['nfs', nfs()],
    ['points', points()],
    ['dillon', dillon()],
    ...catalogue.models.map((model): [string, Subject] => [model.id, { of: 'model', model }]),
  ];

  it.each(data)('%s', (_, subject) => {
    const schema = schemaOf(subject, slicesOf(subject, catalogue));
    const [choice] = schema.choices(schema.defaults.axes);
    const wheres = choice ? choice.levels.map((l) => `${choice.name}=${l}`) : [''];
    for (const where of wheres) {
      const slice = schema.slice(fromQuery(where, schema).state);
      for (const measure of slice.measures)
        for (const { id } of slice.models(measure))
          for (const size of sizes)
            for (const surface of ['model', 'cells']) {
              const query = `${where}&measure=${measure}&model=${id}&surface=${surface}`;
              const { layers, scene, state } = drawn(subject, query, size);
              for (const [layer, shapes] of Object.entries(layers))
                expect(broken(shapes), `${query} ${layer}`).toEqual([]);
              const comparison = comparisonOf(scene.view, state.frames);
              if (comparison) {
                const shapes = residualShapes(
                  scene.view,
                  comparison,
                  comparison.predictions(scene.live.theta),
                  scene.live.place,
                  300,
                  new Map(),
                );
                expect(broken(shapes), query).toEqual([]);
              }
              for (const slider of scene.view.sliders)
                for (const value of [slider.lo, slider.start, slider.hi])
                  expect(broken(rulerShapes(slider, value, 300)), `${query} ${slider.name}`).toEqual([]);
            }
    }
  });

  it('is found by a check that a broken shape fails', () => {
    expect(broken([{ tag: 'line', attributes: { x1: Number.NaN } }])).toHaveLength(1);
  });
});

describe('the residuals of very many cells', () => {
  const WIDTH = 304;
  const levels = Array.from({ length: 100 }, (_, k) => 1500 + 75 * k);
  const many = designed('many', { mtu_bytes: levels, delay_us: levels.map((_, k) => 5 * k) }, ['throughput_mbps']);
  const { scene } = drawn(many, 'model=tcp-coalescing-throughput');
  const comparison = comparisonOf(scene.view, 'counted');
  const shapes = comparison
    ? residualShapes(
        scene.view,
        comparison,
        comparison.predictions(scene.view.start),
        scene.live.place,
        WIDTH,
        new Map(),
      )
    : [];
  const across = shapes.flatMap(({ attributes: { d = '' } }) =>
    [...String(d).matchAll(/M([-\d.]+)/g)].map(([, x]) => Number(x)),
  );

  it('stand between the edges, row after row', () => {
    expect(comparison?.points).toHaveLength(10_000);
    expect(across.length).toBeGreaterThan(100);
    expect(Math.min(...across)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...across)).toBeLessThanOrEqual(WIDTH);
  });

  it('are what the cells of a pixel span, not a mark for each', () => {
    expect(across.length).toBeLessThan(5 * WIDTH);
  });
});

it('splits a cost in its three parts', () => {
  const shapes = splitShapes(
    { total: 1118, parts: [813, 115, 190] },
    { total: 1557, parts: [813, 202, 542] },
    'MTU 1500, delay 10: 1557',
    0,
    304,
  );
  expect(words(shapes)).toEqual([
    'bytes',
    '81373 %',
    'packets',
    '11510 %',
    'interrupts',
    '19017 %',
    'MTU 1500, delay 10: 1557',
  ]);
  expect(shapes.filter((s) => s.tag === 'rect')).toHaveLength(6);
});

it('says what a setting is in microseconds', () => {
  const axis = (name: string, unit: string) => ({ name, label: name, unit, levels: [1], spacing: 'linear' as const });
  expect(settingWords(axis('delay_ticks', 'ticks'), 80)).toBe('80 ticks = 81.9 µs');
  expect(settingWords(axis('moderation_rate_hz', 'Hz'), 8000)).toBe('8000 Hz = 125 µs');
  expect(settingWords(axis('delay_us', 'µs'), 33.3333)).toBe('33.33 µs');
  expect(settingWords(axis('mtu_bytes', 'bytes'), 1500)).toBe('1500 bytes');
});
