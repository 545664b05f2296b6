// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Cell, Experiment, Factors, UploadReceipt } from '../../../src/api/types';
import { cameWith, coverageOf, sliceOf, slicesOf, spanOf } from '../../../src/features/upload/coverage';

let id = 0;
function cell(factors: Factors, runs: number): Cell {
  id += 1;
  return { id, factors, runs, partial_runs: 0, measures: {} };
}

function stored(...all: Factors[]): UploadReceipt {
  const runs = all.map((factors, i) => ({ id: `${i}`, factors, replicate: i, partial: false }));
  return {
    id: 'one',
    outcome: 'stored',
    run_count: runs.length,
    experiment: { slug: 'lab', title: 'Lab' },
    runs,
    warnings: [],
  } as unknown as UploadReceipt;
}

const cells = [
  cell({ mtu_bytes: 1500, delay_us: 10, workload: 'udp' }, 3),
  cell({ mtu_bytes: 1500, delay_us: 40, workload: 'udp' }, 2),
  cell({ mtu_bytes: 9000, delay_us: 10, workload: 'udp' }, 1),
  cell({ mtu_bytes: 1500, delay_us: 10, workload: 'tcp' }, 5),
];

const SPAN = { x: 'delay_us', y: 'mtu_bytes' };

describe('coverageOf', () => {
  it('has the highest MTU first and a zero where nothing is on disk', () => {
    const grid = coverageOf(cells, SPAN, 'workload=udp', []);
    expect(grid.lines).toEqual([9000, 1500]);
    expect(grid.columns).toEqual([10, 40]);
    expect(grid.cells.map((line) => line.map(({ runs }) => runs))).toEqual([
      [1, 0],
      [3, 2],
    ]);
    expect(grid.most).toBe(3);
  });

  it('counts what this upload stored, and not what was known', () => {
    const known = { ...stored({ mtu_bytes: 1500, delay_us: 10, workload: 'udp' }), outcome: 'known' as const };
    const now = stored(
      { mtu_bytes: 1500, delay_us: 40, workload: 'udp' },
      { mtu_bytes: 1500, delay_us: 40, workload: 'udp' },
    );
    const grid = coverageOf(cells, SPAN, 'workload=udp', cameWith([known, now]).cells);
    expect(grid.cells[1].map(({ added }) => added)).toEqual([0, 2]);
  });

  it('never claims more than is on disk', () => {
    const came = cameWith([stored(...Array(9).fill({ mtu_bytes: 9000, delay_us: 10, workload: 'udp' }))]);
    const grid = coverageOf(cells, SPAN, 'workload=udp', came.cells);
    expect(grid.cells[0][0]).toEqual({ runs: 1, added: 1 });
  });

  it('counts all runs of a table that lists its first hundred', { tags: 'fault:P12' }, () => {
    const receipt = { ...stored({ mtu_bytes: 1500, delay_us: 10, workload: 'udp' }), run_count: 324 };
    expect(cameWith([receipt])).toEqual({ cells: [], longer: ['one'] });
    const all = [cell({ mtu_bytes: 1500 }, 162), cell({ mtu_bytes: 9000 }, 162)];
    const grid = coverageOf(
      all,
      { x: null, y: 'mtu_bytes' },
      '',
      all.map(({ factors, runs }) => ({ factors, runs })),
    );
    expect(grid.cells.map((line) => line.map(({ runs, added }) => [runs, added]))).toEqual([
      [[162, 162]],
      [[162, 162]],
    ]);
  });

  it('needs no delay: MTU alone is one column', () => {
    const span = spanOf({ default_view: { measure: '', x: 'mtu_bytes', y: null, where: {} } } as Experiment);
    const grid = coverageOf([cell({ mtu_bytes: 1500 }, 1), cell({ mtu_bytes: 9000 }, 2)], span, '', []);
    expect(grid.x).toBeNull();
    expect(grid.cells).toEqual([[{ runs: 2, added: 0 }], [{ runs: 1, added: 0 }]]);
  });
});

describe('slices', () => {
  it('are the combinations of the other factors', () => {
    expect([...slicesOf(cells, SPAN).keys()]).toEqual(['workload=udp', 'workload=tcp']);
    expect(sliceOf({ mtu_bytes: 1500, delay_us: 10, workload: 'tcp' }, SPAN)).toBe('workload=tcp');
  });
});
