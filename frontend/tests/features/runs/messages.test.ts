// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { MeasureOf, Quantity } from '../../../src/api/types';
import {
  changesOf,
  chosenFew,
  correctionOf,
  dilationOf,
  isLog,
  measuresOf,
  moment,
  originOf,
  plain,
  settingsOf,
  sourcesOf,
} from '../../../src/features/runs/messages';

const quantities = [
  { name: 'mtu_bytes', text: false },
  { name: 'workload', text: true },
  { name: 'throughput_mbps' },
] as Quantity[];
const run = { factors: { mtu_bytes: 1500, workload: 'udp' }, replicate: 2 };
const edited = { factors: { mtu_bytes: '1500', workload: 'udp' }, replicate: '2', reason: ' noted wrong ' };

describe('correctionOf', () => {
  it('is null where nothing changes', () => expect(correctionOf(run, edited, quantities)).toBeNull());

  it('sends what changed and nothing else', () => {
    const factors = { ...edited.factors, mtu_bytes: '9000' };
    expect(correctionOf(run, { ...edited, factors }, quantities)).toEqual({
      factors: { mtu_bytes: 9000 },
      reason: 'noted wrong',
    });
  });

  it('keeps a text a text, even one that looks like a number', () => {
    const factors = { ...edited.factors, workload: '42' };
    expect(correctionOf(run, { ...edited, factors }, quantities)?.factors).toEqual({ workload: '42' });
  });

  it('takes a factor away whose field was emptied', () => {
    const factors = { ...edited.factors, workload: ' ' };
    expect(correctionOf(run, { ...edited, factors }, quantities)?.factors).toEqual({ workload: null });
  });

  it('corrects the replicate alone', () => {
    expect(correctionOf(run, { ...edited, replicate: '3' }, quantities)).toEqual({
      factors: {},
      replicate: 3,
      reason: 'noted wrong',
    });
  });
});

describe('measures', () => {
  const measures = ['throughput_mbps', 'packets_per_interrupt', 'latency_us', 'drops'].map(
    (name) => ({ name }) as MeasureOf,
  );
  it('begin with what the experiment is about, three at most', () =>
    expect(chosenFew(measures, 'latency_us')).toEqual(['latency_us', 'throughput_mbps', 'packets_per_interrupt']));
  it('never include one that the experiment has not', () =>
    expect(chosenFew(measures.slice(-1), 'goodput_mbps')).toEqual(['drops']));
  it('of a log include those that could not be made, of a table only what it has', () => {
    const measured = { throughput_mbps: { value: 1, sd: null, n: 1 } };
    expect(measuresOf({ content: 'run_log', sha256: 'a', measures: measured }, quantities)).toContain(
      'packets_per_interrupt',
    );
    expect(measuresOf({ content: 'csv', sha256: 'a', measures: measured }, quantities)).toEqual(['throughput_mbps']);
  });
});

describe('where a run comes from', () => {
  const row = { filename: null, row: 2, sha256: null };
  it.each([
    ['run_log', { filename: 'a.runlog', row: null, sha256: 'ab' }, true, 'run log a.runlog'],
    ['dataset', { filename: 'a.runlog', row: null, sha256: 'ab' }, true, 'run log a.runlog of the data set'],
    ['dataset', row, false, 'row 2 of the data set'],
    ['csv', { ...row, filename: 'a.csv', sha256: 'ab' }, false, 'row 2 of a.csv'],
  ] as const)('is said of a %s', (content, more, log, words) => {
    expect(isLog({ content, ...more })).toBe(log);
    expect(originOf({ content, ...more })).toBe(words);
  });
});

describe('the dilation of a log', () => {
  it.each([
    [{ time_dilation: 12.5 }, 12.5],
    [{ time_dilation: 1 }, null],
    [{ time_dilation: 'slow' }, null],
    [{}, null],
    [null, null],
  ])('of %j is %j', (header, dilation) => expect(dilationOf(header)).toBe(dilation));
});

describe('words', () => {
  it('of a moment are UTC to the second', () => {
    expect(moment('2026-11-20T19:44:17.735Z')).toBe('2026-11-20 19:44:17 UTC');
    expect(moment(null)).toBe('not known');
    expect(moment('yesterday')).toBe('yesterday');
  });
  it.each([
    [null, '–'],
    [false, 'no'],
    [0, '0'],
    [['iperf3', '-s'], 'iperf3 -s'],
    [{ rx_checksum: true, lro: false }, 'rx checksum yes, lro no'],
    [[{ name: 'POLL' }, { name: 'C1' }], 'name POLL; name C1'],
  ])('of a header value %j: %s', (value, text) => expect(plain(value)).toBe(text));
});

it('settingsOf shows what was asked for beside what is in force', () => {
  expect(settingsOf({ mtu_bytes: 1500 }, { mtu_bytes: 9000, delay_us: 10 })).toEqual([
    { name: 'mtu_bytes', requested: 9000, counts: 1500 },
    { name: 'delay_us', requested: 10, counts: null },
  ]);
});

it('sourcesOf survives headers that name none', () => {
  expect(sourcesOf(null)).toEqual([]);
  expect(sourcesOf({ sources: 'sysfs' })).toEqual([]);
  expect(sourcesOf({ sources: [{ name: 'sysfs', atomic: false }] })).toEqual([
    { name: 'sysfs', atomic: false, description: '' },
  ]);
});

it('changesOf names what a correction changed', () => {
  const before = { factors: { mtu_bytes: 1500, workload: 'udp' }, replicate: 1 };
  const after = { factors: { mtu_bytes: 3000, workload: 'udp' }, replicate: 1 };
  expect(changesOf({ before, after })).toEqual([{ name: 'mtu_bytes', from: '1500', to: '3000' }]);
});
