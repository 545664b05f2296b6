// SPDX-License-Identifier: Apache-2.0
// Pictures of many cells, and of levels that nothing lies between.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { frameOf } from '../../../src/features/explorer/figure/frame';
import { cells, isDense, underCells } from '../../../src/features/explorer/figure/heat';
import { bars, points } from '../../../src/features/explorer/figure/lines';
import { rowsShown, seriesOf } from '../../../src/features/explorer/figure/live';
import { comparisonOf, countedIn } from '../../../src/features/explorer/figure/residuals';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import { predictAt } from '../../../src/state/prediction';
import type { Subject } from '../../../src/state/subject';
import { viewOf } from '../../../src/state/view';
import { schemaOf } from '../../../src/state/viewSchema';
import { designed } from '../../designs';
import { published } from '../../published';

function pictured(subject: Subject, query = '') {
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(query, schemaOf(subject, slices));
  const view = viewOf(subject, slices, state, null, false);
  return { view, state, series: seriesOf(view, state, slices), frame: frameOf(view, view.values, 800, 700) };
}

const grid = (n: number) => {
  const levels = Array.from({ length: n }, (_, i) => i + 1);
  return designed('grid', { mtu_bytes: levels.map((i) => 1000 + 80 * i), delay_us: levels.map((i) => 10 * i) }, [
    'latency_us',
  ]);
};

describe('ten thousand cells', () => {
  const { view, series, frame } = pictured(grid(100));

  it('are a raster of a few hundred elements, not a mark and a whisker each', () => {
    expect(view.points).toHaveLength(10_000);
    expect(isDense(view, frame)).toBe(true);
    const drawn = [...underCells(view, frame), ...cells(view, frame)];
    expect(drawn.length).toBeLessThan(300);
    const tiles = drawn.flatMap(({ attributes }) => String(attributes.d ?? '').match(/M/g) ?? []);
    expect(tiles.length).toBeGreaterThanOrEqual(10_000);
  });

  it('have as many lines as can be told apart, and all that are asked for', () => {
    expect(series.map(({ y }) => y)).toHaveLength(10);
    expect(series[0].y).toBe(1080);
    expect(series.at(-1)?.y).toBe(9000);
    expect(rowsShown([1, 2, 3], null).size).toBe(3);
    expect([...rowsShown(view.layout.y?.levels ?? [], [1080, 1160])]).toEqual([1080, 1160]);
  });

  it('keep their marks where these have room', () => {
    const few = pictured(grid(16));
    expect(isDense(few.view, few.frame)).toBe(false);
    expect(cells(few.view, few.frame).length).toBeGreaterThan(200);
  });
});

describe('the model at the cells', () => {
  function compared(subject: Subject, query: string) {
    const { view, state } = pictured(subject, query);
    const { binding } = view;
    if (!binding) throw new Error('no model is bound');
    let calls = 0;
    const kernels = Object.fromEntries(
      Object.entries(binding.kernels).map(([name, kernel]) => [
        name,
        (...given: Parameters<typeof kernel>) => {
          calls++;
          return kernel(...given);
        },
      ]),
    );
    const comparison = comparisonOf({ ...view, binding: { ...binding, kernels } }, state.frames);
    calls = 0; // the scale of the residuals has asked already
    const found = [...(comparison?.predictions(view.start) ?? [])];
    const alone = view.points.map(
      ({ x, y, cell }) => predictAt(binding, x, y, state.frames, view.start, countedIn({ cell })).total,
    );
    return { found, alone, calls };
  }

  it('is computed row by row, not cell by cell', () => {
    const levels = Array.from({ length: 40 }, (_, i) => i + 1);
    const plane = { mtu_bytes: levels.map((i) => 1000 + 80 * i), delay_us: levels.map((i) => 10 * i) };
    const { found, alone, calls } = compared(
      designed('grid', plane, ['throughput_mbps']),
      'model=tcp-coalescing-throughput',
    );
    expect(found).toHaveLength(1600);
    expect(found).toEqual(alone);
    expect(calls).toBe(40);
  });

  it('takes what a cell counted itself', () => {
    const { found, alone, calls } = compared(
      published('geist-2005-nfs'),
      'measure=system_cpu_jiffies_per_gb&model=cpu-overhead',
    );
    expect(found).toEqual(alone);
    expect(calls).toBe(found.length);
  });
});

describe('running numbers', () => {
  const { view, series, frame } = pictured(published('dillon-2004-streams'));

  it('are bars from zero, and nothing is drawn between them', { tags: 'fault:P6' }, () => {
    expect(view.mode).toBe('cells');
    expect(series.every(({ along }) => along === null || Number.isNaN(along(4.5)))).toBe(true);
    const drawn = bars(view, frame, series);
    expect(drawn).toHaveLength(view.points.length);
    for (const { attributes } of drawn)
      expect(Number(attributes.y) + Number(attributes.height)).toBeCloseTo(frame.v(0), 1);
    expect(points(view, frame, series).length).toBeGreaterThan(0);
  });

  it('are no bars of a delay', () => {
    const delays = pictured(published('dillon-2004'));
    expect(bars(delays.view, delays.frame, delays.series)).toEqual([]);
  });
});
