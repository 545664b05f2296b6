// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followUnderWay } from '../../src/state/underWay';
import { flushQuery, writeQuery } from '../../src/state/url';

let none = true;
const replaceState = vi.fn();

beforeEach(() => {
  vi.stubGlobal('location', { search: '', pathname: '/explorer/nfs', hash: '' });
  vi.stubGlobal('history', { state: null, replaceState });
  replaceState.mockClear();
  followUnderWay((now) => {
    none = now;
  });
});

afterEach(() => vi.unstubAllGlobals());

test('the query is written once, and then nothing is under way', () => {
  writeQuery(() => 'alpha=1');
  writeQuery(() => 'alpha=2');
  expect(none).toBe(false);
  flushQuery();
  expect(replaceState.mock.calls).toEqual([[null, '', '/explorer/nfs?alpha=2']]);
  expect(none).toBe(true);
});

test('a query that cannot be made is over too, and does not come back', () => {
  writeQuery(() => {
    throw new Error('no query');
  });
  expect(flushQuery).toThrow('no query');
  expect(none).toBe(true);
  expect(flushQuery).not.toThrow();
});
