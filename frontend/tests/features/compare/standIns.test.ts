// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../src/api/types';
import { shownSides } from '../../../src/features/compare/standIns';

const cell = (workload: string, delay_us: number, measures: readonly string[] = ['rate']): Cell =>
  ({ factors: { workload, delay_us }, measures: Object.fromEntries(measures.map((m) => [m, {}])) }) as unknown as Cell;

const A = { slug: 'study', where: {} };
const B = { slug: 'testbed', where: {} };
const DELAYS = [10, 20, 40];
const study = DELAYS.map((delay) => cell('nfs', delay));
const testbed = [
  ...DELAYS.map((delay) => cell('tcp', delay)),
  ...DELAYS.map((delay) => cell('request_response', delay)),
  ...DELAYS.slice(1).map((delay) => cell('udp', delay)),
];

describe('a side that has no workload in common with the first', () => {
  it('is shown at that with most settings in common, the first of equals, and says the others', () => {
    const shown = shownSides([A, B], [study, testbed], 'rate');
    expect(shown.sides).toEqual([A, { ...B, where: { workload: 'request_response' } }]);
    expect(shown.cells[1]).toEqual(testbed.slice(3, 6));
    expect(shown.standIns).toEqual([
      {
        place: 1,
        where: { workload: 'request_response' },
        others: [{ workload: 'tcp' }, { workload: 'udp' }],
      },
    ]);
  });

  it('is held in the first place as in the second', () => {
    const { sides } = shownSides([B, A], [testbed, study], 'rate');
    expect(sides.map(({ where }) => where)).toEqual([{ workload: 'request_response' }, {}]);
  });

  it('is shown at that whose name has a word in common, though another has more settings', () => {
    const flood = DELAYS.map((delay) => cell('udp_flood', delay));
    expect(shownSides([A, B], [flood, testbed], 'rate').sides[1].where).toEqual({ workload: 'udp' });
  });

  it('is shown at one that has the measure', () => {
    const timed = [...testbed, ...DELAYS.map((delay) => cell('udp', delay, ['latency']))];
    const own = DELAYS.map((delay) => cell('nfs', delay, ['latency']));
    const { sides, standIns } = shownSides([A, B], [own, timed], 'latency');
    expect(sides[1].where).toEqual({ workload: 'udp' });
    expect(standIns[0].others).toEqual([]);
  });

  it('stays as it was chosen', () => {
    const chosen = { ...B, where: { workload: 'tcp' } };
    expect(shownSides([A, chosen], [study, testbed.slice(0, 3)], 'rate').standIns).toEqual([]);
    const two = { ...B, where: { workload: 'request_response,tcp' } };
    expect(shownSides([A, two], [study, testbed.slice(0, 6)], 'rate').sides[1]).toEqual(two);
  });

  it('stays whole where a workload is shared, or no setting would be', () => {
    expect(shownSides([A, B], [testbed.slice(0, 3), testbed], 'rate').standIns).toEqual([]);
    expect(shownSides([A, B], [[cell('nfs', 5)], testbed], 'rate').standIns).toEqual([]);
  });

  it('is one of three, each beside the first', () => {
    const { sides, standIns } = shownSides([B, A, A], [testbed, study, [cell('iperf', 20)]], 'rate');
    expect(sides.map(({ where }) => where)).toEqual([{ workload: 'request_response' }, {}, {}]);
    expect(standIns).toHaveLength(1);
  });
});

it('takes no delay for another', () => {
  const one = [cell('nfs', 10)];
  const others = [cell('nfs', 20), cell('nfs', 40)];
  expect(shownSides([A, B], [one, others], 'rate').standIns).toEqual([]);
});
