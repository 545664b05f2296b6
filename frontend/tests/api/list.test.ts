// SPDX-License-Identifier: Apache-2.0
// A list that was kept whole answers as the server does: the rows and the orders are those of backend/tests/runs/test_listing.py.
import { describe, expect, it } from 'vitest';
import { pageOf } from '../../src/api/list';
import type { Run } from '../../src/api/types';

const TABLE: [string, number | null, number, number | null][] = [
  ['tcp', 1500, 1, 900],
  ['tcp', 9000, 1, 990],
  ['udp', 1500, 1, 800],
  ['tcp', 1500, 2, 910],
  ['udp', 9000, 1, null],
  ['tcp', null, 1, 700],
];

const runs = TABLE.map(
  ([workload, mtu_bytes, replicate, value], k) =>
    ({
      row: k + 1,
      factors: { workload, ...(mtu_bytes === null ? {} : { mtu_bytes }) },
      replicate,
      status: k === 2 ? 'retracted' : 'current',
      partial: k === 3,
      warning_codes: k === 3 ? ['log_cut_off'] : [],
      recorded_at: k === 0 ? '2026-02-01T00:00:00Z' : null,
      created_at: `2026-01-0${k + 1}T00:00:00Z`,
      measures: value === null ? {} : { throughput_mbps: { value, sd: null, n: 1 } },
    }) as Partial<Run> as Run,
);

const rows = (query: string) => pageOf(runs, new URLSearchParams(query)).runs.map((run) => run.row);

describe('a kept list', () => {
  it.each([
    ['', [1, 2, 3, 4, 5, 6]],
    ['workload=udp', [3, 5]],
    ['workload=tcp&mtu_bytes=1500', [1, 4]],
    ['mtu_bytes=3000', []],
    ['state=retracted', [3]],
    ['state=current', [1, 2, 4, 5, 6]],
    ['state=partial', [4]],
    ['state=whole&mtu_bytes=1500', [1]],
    ['warnings=some', [4]],
    ['warnings=none&workload=udp', [3, 5]],
    ['sort=-stored', [6, 5, 4, 3, 2, 1]],
    ['sort=mtu_bytes', [1, 3, 4, 2, 5, 6]],
    ['sort=-mtu_bytes', [2, 5, 1, 3, 4, 6]],
    ['sort=-workload&state=current', [5, 1, 2, 4, 6]],
    ['sort=throughput_mbps', [6, 3, 1, 4, 2, 5]],
    ['sort=-throughput_mbps&workload=tcp', [2, 4, 1, 6]],
    ['sort=-replicate', [4, 1, 2, 3, 5, 6]],
    ['sort=recorded', [2, 3, 4, 5, 6, 1]],
    ['sort=constructor', [1, 2, 3, 4, 5, 6]],
  ])('%s', (query, expected) => {
    expect(rows(query)).toEqual(expected);
  });

  it('is cut into pages that know how many there are', () => {
    const page = pageOf(runs, new URLSearchParams('sort=-mtu_bytes&limit=2&offset=2'));
    expect(page.total).toBe(6);
    expect(page.runs.map((run) => run.row)).toEqual([1, 3]);
  });
});
