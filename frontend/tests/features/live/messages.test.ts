// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { Sweep } from '../../../src/api/types';
import { durationInWords, progressInWords, shareOf } from '../../../src/features/live/messages';
import { SILENT_MS, standingOf } from '../../../src/features/live/standing';

const HEARD = '2026-05-01T12:00:00.000Z';
const NOW = Date.parse(HEARD) + 5000;
const sweep = (more: Partial<Sweep> = {}): Sweep => ({
  id: 'sweep-01',
  experiment: 'my-host',
  state: 'running',
  replicates: 10,
  cells: [],
  runs_planned: 14_400,
  runs_done: 312,
  runs_failed: 0,
  left_s: 11_280,
  started_at: HEARD,
  updated_at: HEARD,
  ...more,
});

describe('progress in words', () => {
  test('says how many and how long', () => {
    expect(progressInWords(sweep(), NOW)).toBe('A sweep is on: 312 of 14\u2009400 runs, 3 h 8 min left.');
    expect(progressInWords(sweep({ left_s: null, runs_failed: 2 }), NOW)).toBe(
      'A sweep is on: 312 of 14\u2009400 runs, 2 failed.',
    );
  });
  test('silence is not progress', () => {
    expect(standingOf(sweep(), NOW + SILENT_MS)).toBe('silent');
    expect(progressInWords(sweep(), NOW + 2 * SILENT_MS)).toContain('No update from a sweep for 30 min');
  });
  test('a sweep that stopped says how it goes on', () => {
    expect(progressInWords(sweep({ state: 'stopped' }), NOW + 2 * SILENT_MS)).toContain(
      'Rerun the same command to resume',
    );
  });
});

test.each([
  [0, '0 s'],
  [89, '89 s'],
  [100, '2 min'],
  [3600, '1 h'],
  [5000, '1 h 23 min'],
])('%d s are %s', (seconds, words) => {
  expect(durationInWords(seconds)).toBe(words);
});

test('the share counts what failed too, and is never more than all', () => {
  expect(shareOf(sweep({ runs_planned: 4, runs_done: 1, runs_failed: 1 }))).toBe(0.5);
  expect(shareOf(sweep({ runs_planned: 0 }))).toBe(0);
  expect(shareOf(sweep({ runs_planned: 2, runs_done: 3 }))).toBe(1);
});
