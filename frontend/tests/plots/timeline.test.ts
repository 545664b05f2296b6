// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Contents } from '../../src/api/types';
import { shapeText } from '../../src/plots/file';
import { binsOf, histogramShapes } from '../../src/plots/histogram';
import type { Shape } from '../../src/plots/shapes';
import { middles, panelsOf, stretchAt, timeline } from '../../src/plots/timeline';

const TOKENS = new Proxy({}, { get: () => '#123456' }) as Record<string, string>;
const words = (shapes: readonly Shape[]): string[] =>
  shapes
    .filter(({ tag }) => tag === 'text')
    .map(({ text, spans }) => text ?? (spans ?? []).map((s) => s.text).join(''));

function line(name: string, group: string, mean: (number | null)[]): Contents['series'][number] {
  const moved = (by: number) => mean.map((v) => (v === null ? null : v * by));
  return { name, group, label: name, unit: 'Mb/s', mean, least: moved(0.5), most: moved(2) };
}

function contents(series: Contents['series']): Contents {
  return {
    complete: true,
    records: 5,
    time_dilation: 1,
    span_s: 4,
    samples_per_step: 1,
    edges_s: [0, 1, 2, 3, 4],
    window_s: [1, 3],
    marks: [],
    series,
    counters: [],
    counters_left_out: 0,
    statistics: null,
    latency: null,
    results: [],
  };
}

const RUN = {
  name: 'run',
  contents: contents([
    line('cpu_idle_percent', 'cpu', [50, 50, 50, 50]),
    line('cpu_irq_percent', 'cpu', [20, 20, 20, 20]),
    line('cpu_user_percent', 'cpu', [30, 30, 30, 30]),
    line('throughput_mbps', 'throughput', [100, 234, null, 234]),
    line('tx_throughput_mbps', 'throughput', [1, 1, 1, 1]),
  ]),
};

describe('a run over time', () => {
  it('has a panel for each group, idle time left blank', () => {
    const panels = panelsOf([RUN]);
    expect(panels.map(({ title }) => title)).toEqual(['Throughput, Mb/s', 'CPU time by class, of all CPUs, %']);
    expect(panels[1].lines.map(({ label }) => label)).toEqual(['cpu_irq_percent', 'cpu_user_percent']);
  });

  it('breaks the line where nothing is known, and never draws what is no number', () => {
    const { shapes } = timeline([RUN], 800, null);
    expect(shapes.map((shape) => shapeText(shape, TOKENS)).join('')).not.toMatch(/NaN|Infinity|undefined|null/);
    const drawn = shapes.find(({ attributes }) => attributes['stroke-width'] === 1.4);
    expect(String(drawn?.attributes.d).match(/M/g)).toHaveLength(2);
  });

  it('says values at the crosshair, and that one is not known', () => {
    expect(words(timeline([RUN], 800, null).shapes)).not.toContain('234');
    expect(words(timeline([RUN], 800, 1.5).shapes)).toContain('234');
    expect(words(timeline([RUN], 800, 2.5).shapes)).toContain('not known');
  });

  it('veils what lies outside the window, and only of a single run', () => {
    const veils = (runs: (typeof RUN)[]) =>
      timeline(runs, 800, null).shapes.filter(({ attributes }) => attributes['fill-opacity'] === 0.85).length;
    expect([veils([RUN]), veils([RUN, { ...RUN, name: 'other' }])]).toEqual([4, 0]);
  });

  it('tells several runs by their dashes', () => {
    const { shapes } = timeline(
      [
        { ...RUN, name: 'A' },
        { ...RUN, name: 'B' },
      ],
      800,
      null,
    );
    expect(words(shapes).filter((w) => w === 'A' || w === 'B')).toEqual(['A', 'B', 'A', 'B']);
    expect(shapes.some(({ attributes }) => attributes['stroke-dasharray'] === '6 3')).toBe(true);
  });

  it('is the same picture as before', () => {
    const drawn = timeline([RUN], 640, 1.5)
      .shapes.map((shape) => shapeText(shape, TOKENS))
      .join('\n');
    expect(drawn).toMatchSnapshot();
  });
});

it('finds the stretch of a moment', () => {
  expect([-1, 0, 0.9, 1, 3.9, 4, 9].map((t) => stretchAt([0, 1, 2, 3, 4], t))).toEqual([0, 0, 0, 1, 3, 3, 3]);
  expect(middles([0, 2, 6])).toEqual([1, 4]);
});

describe('a histogram', () => {
  const histogram = { lower_us: [10, 20, 40], upper_us: [20, 40, 80], counts: [1, 2, 1] };

  it('keeps all requests, whatever the bins', () => {
    for (const most of [1, 3, 7, 50]) {
      const shares = binsOf(histogram, most).map(({ share }) => share);
      expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(100, 6);
    }
  });

  it('names quantiles where they have room', () => {
    const shapes = histogramShapes(
      histogram,
      [
        ['p50', 30],
        ['p90', 30.5],
        ['p99', 70],
      ],
      600,
    );
    expect(words(shapes).filter((w) => w.startsWith('p'))).toEqual(['p50', 'p99']);
    expect(binsOf({ lower_us: [], upper_us: [], counts: [] }, 5)).toEqual([]);
  });
});
