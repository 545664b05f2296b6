// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rowsOf } from '../../src/api/cells';
import { answerFrom, fileCopy } from '../../src/api/copy';
import { cellsOf, queries } from '../../src/api/queries';

const columns = {
  experiment: 'lab',
  data_version: 3,
  independence: {},
  left_out: [],
  id: [7, 8],
  factors: { mtu_bytes: [1500, 9000], workload: ['tcp', null] },
  runs: [2, 1],
  partial_runs: [0, 1],
  measures: {
    throughput_mbps: {
      n: [2, 1],
      mean: [900.25, 0],
      sd: [0, null],
      ci95_low: [900.25, null],
      ci95_high: [901.5, null],
    },
    system_cpu_percent: {
      n: [null, 1],
      mean: [null, 12],
      sd: [null, null],
      ci95_low: [null, null],
      ci95_high: [null, null],
    },
  },
};

afterEach(() => vi.unstubAllGlobals());

describe('cells as columns', () => {
  it('are asked for by the address that the document names, and by no other', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async ({ url }: Request) => {
      asked.push(url.slice(url.indexOf('/api/')));
      return Response.json(columns);
    });
    const found = await queries.fetchQuery(cellsOf('lab', {}));
    expect(found.cells).toEqual(rowsOf(columns));
    await queries.fetchQuery(cellsOf('lab', { mtu_bytes: 1500 }, ['a', 'b']));
    expect(asked).toEqual([
      '/api/experiments/lab/cells?layout=columns',
      '/api/experiments/lab/cells?mtu_bytes=1500&without=a%2Cb&layout=columns',
    ]);
  });

  it('are the cells one by one, without what a cell lacks', () => {
    expect(rowsOf(columns)).toEqual([
      {
        id: 7,
        factors: { mtu_bytes: 1500, workload: 'tcp' },
        runs: 2,
        partial_runs: 0,
        measures: { throughput_mbps: { n: 2, mean: 900.25, sd: 0, ci95: [900.25, 901.5] } },
      },
      {
        id: 8,
        factors: { mtu_bytes: 9000 },
        runs: 1,
        partial_runs: 1,
        measures: {
          throughput_mbps: { n: 1, mean: 0, sd: null, ci95: null },
          system_cpu_percent: { n: 1, mean: 12, sd: null, ci95: null },
        },
      },
    ]);
  });

  it('are asked for of a copy, too, which has rows', async () => {
    const copy = fileCopy('0.1.0', { 'experiments/lab/cells.json': { cells: [1] } });
    const asked = new Request('http://127.0.0.1/api/experiments/lab/cells?layout=columns');
    expect(await (await answerFrom(copy, asked)).json()).toEqual({ cells: [1] });
  });
});
