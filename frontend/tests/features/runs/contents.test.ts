// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { countersOf, instanceInWords } from '../../../src/features/runs/counters';
import { countOf, searched, treeOf } from '../../../src/features/runs/tree';

const counter = (name: string, instance: string | null, advance: number | null) => ({
  name,
  instance,
  unit: 'packets',
  source: 'module',
  advance,
});

it('puts queues beside their total, in their order', () => {
  const { instances, rows } = countersOf([
    counter('rx_packets', null, 30),
    counter('rx_packets', 'q10', 10),
    counter('rx_packets', 'q2', 20),
    counter('polls', 'q2', null),
  ]);
  expect(instances).toEqual(['q2', 'q10']);
  expect(rows.map(({ name, total }) => [name, total])).toEqual([
    ['rx_packets', 30],
    ['polls', undefined],
  ]);
  expect(rows[1].by).toEqual({ q2: null });
});

it('says whether a column is a queue’s or an interrupt line’s', () => {
  expect(['q2', '41', 'cpu0'].map(instanceInWords)).toEqual(['queue 2', 'line 41', 'cpu0']);
});

const HEADER = {
  environment: { ring: { rx: 256, tx: 512 }, governor: 'performance' },
  sources: [{ name: 'module', atomic: true }],
  command: ['iperf3', '-s'],
};

it('makes a tree of a header', () => {
  const tree = treeOf(HEADER);
  expect(countOf(tree)).toBe(6);
  expect(tree[2]).toEqual({ name: 'command', text: 'iperf3 -s', members: [] });
  expect(tree[1].members[0].name).toBe('module');
});

it('finds names and values wherever they stand', () => {
  const found = (text: string) => countOf(searched(treeOf(HEADER), text));
  expect([found('ring'), found('ring 512'), found('performance'), found('nothing'), found(' ')]).toEqual([
    2, 1, 1, 0, 6,
  ]);
});
