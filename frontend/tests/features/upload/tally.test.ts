// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { UploadReceipt } from '../../../src/api/types';
import type { Item, Phase } from '../../../src/features/upload/queue';
import { groupsOf, restInWords, segmentsOf, size, sizeOf, tallyOf } from '../../../src/features/upload/tally';

let key = 0;
function item(phase: Phase, bytes = 100, more: Partial<Item> = {}): Item {
  key += 1;
  const file = new File([new Uint8Array(bytes)], `${key}.runlog`);
  const sent = phase === 'stored' || phase === 'known' ? bytes : 0;
  return { key, file, csv: false, destination: null, phase, sent, receipt: null, error: null, broken: 0, ...more };
}

const partial = {
  outcome: 'stored',
  runs: [{ id: 'r', factors: {}, replicate: 1, partial: true }],
  warnings: [],
} as unknown as UploadReceipt;

describe('tallyOf', () => {
  it('counts known files as on disk, refused ones not', () => {
    const tally = tallyOf([item('stored'), item('known'), item('refused'), item('waiting')]);
    expect(tally.onDisk).toBe(2);
    expect(tally.files).toBe(4);
    expect(tally.bytesSent).toBe(200);
    expect(tally.settled).toBe(false);
  });

  it('is settled when nothing waits, is held or is on its way', () => {
    expect(tallyOf([item('stored'), item('refused'), item('failed')]).settled).toBe(true);
    for (const phase of ['held', 'waiting', 'sending'] as const) expect(tallyOf([item(phase)]).settled).toBe(false);
  });

  it('says the rest in words', () => {
    const items = [item('refused'), item('known'), item('sending'), item('waiting'), item('waiting'), item('stored')];
    expect(restInWords(tallyOf(items))).toBe('1 refused, 1 already uploaded, 1 sending, 2 waiting');
    expect(restInWords(tallyOf([item('stored')]))).toBe('');
  });
});

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [125_000, '125 kB'],
    [13_200_000, '13.2 MB'],
    [1_730_000, '1.73 MB'],
    [2_500_000_000, '2.50 GB'],
  ])('%d bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text));

  it('gives both in the unit of the whole', () => {
    expect(sizeOf(78_000, 125_000)).toBe('78.0 of 125 kB');
    expect(sizeOf(1_440_000, 1_730_000)).toBe('1.44 of 1.73 MB');
  });
});

describe('segmentsOf', () => {
  it('has one segment a file, those on disk first', () => {
    const looks = segmentsOf([
      item('waiting'),
      item('refused'),
      item('stored'),
      item('stored', 100, { receipt: partial }),
    ]);
    expect(looks.map(({ look }) => look)).toEqual(['ok', 'partial', 'bad', 'waiting']);
  });

  it('joins them by state when there are too many to tell apart', () => {
    const items = [...Array.from({ length: 70 }, () => item('stored')), item('refused', 300)];
    expect(segmentsOf(items)).toEqual([
      { look: 'ok', bytes: 7000, done: 1 },
      { look: 'bad', bytes: 300, done: 0 },
    ]);
  });
});

describe('groupsOf', () => {
  it('puts what needs the reader first and what waits last', () => {
    const items = [item('waiting'), item('stored'), item('known'), item('sending'), item('held'), item('failed')];
    expect(groupsOf(items).map(({ name }) => name)).toEqual([
      'trouble',
      'held',
      'sending',
      'remarked',
      'stored',
      'waiting',
    ]);
  });
});
