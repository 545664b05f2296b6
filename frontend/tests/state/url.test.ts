// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onPendingWork } from '../../src/state/pendingWork';
import { flushQuery, leftOutOf, writeQuery } from '../../src/state/url';

let none = true;
let hide: () => void;
const replaceState = vi.fn();

beforeEach(() => {
  vi.stubGlobal('location', { search: '', pathname: '/explorer/nfs', hash: '' });
  vi.stubGlobal('history', { state: null, replaceState });
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  hide = () => page.dispatchEvent(new Event('pagehide'));
  replaceState.mockClear();
  onPendingWork((now) => {
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

test('the query is written when the page is left before that, each time', () => {
  for (const query of ['alpha=1', 'alpha=2']) {
    writeQuery(() => query);
    hide();
    expect(replaceState).toHaveBeenLastCalledWith(null, '', `/explorer/nfs?${query}`);
    expect(none).toBe(true);
  }
});

test('a query that cannot be made is over too, and does not come back', () => {
  writeQuery(() => {
    throw new Error('no query');
  });
  expect(flushQuery).toThrow('no query');
  expect(none).toBe(true);
  expect(flushQuery).not.toThrow();
});

test('the view leaves out what can be a run, once; the rest of the address spoils nothing', () => {
  const run = '3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11';
  expect(leftOutOf(`without=${run},3f0c2a52,,${run},nonsense`)).toEqual([run]);
});
