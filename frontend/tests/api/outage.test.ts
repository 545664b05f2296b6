// SPDX-License-Identifier: Apache-2.0
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Unreachable } from '../../src/api/errors';
import { askAgainAfterOutages, LOOK_AGAIN_MS } from '../../src/api/outage';

let isThere = true;
let asked = 0;
let looked = 0;
let stop: () => void;
let queries: QueryClient;

/** A query that somebody looks at; the server's answer to it is the number of the request. */
function watch(queryFn: () => Promise<number>) {
  const observer = new QueryObserver(queries, { queryKey: ['x'], queryFn });
  observer.subscribe(() => undefined);
  return observer;
}

async function answerIfThere(): Promise<number> {
  asked += 1;
  if (!isThere) throw new Unreachable();
  return asked;
}

beforeEach(() => {
  vi.useFakeTimers();
  [isThere, asked, looked] = [true, 0, 0];
  queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } });
  stop = askAgainAfterOutages(queries, async () => {
    looked += 1;
    return isThere;
  });
});
afterEach(() => {
  stop();
  queries.clear();
  vi.useRealTimers();
});

it('asks again for what failed, once the server is back, and not before', { tags: 'fault:P19' }, async () => {
  isThere = false;
  const observer = watch(answerIfThere);
  await vi.advanceTimersByTimeAsync(3 * LOOK_AGAIN_MS);
  expect(observer.getCurrentResult().isError).toBe(true);
  expect([asked, looked]).toEqual([1, 4]);
  isThere = true;
  await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS);
  expect(observer.getCurrentResult().data).toBe(2);
  await vi.advanceTimersByTimeAsync(10 * LOOK_AGAIN_MS);
  expect([asked, looked]).toEqual([2, 5]);
});

it('leaves alone what a server that is there does not answer', async () => {
  const observer = watch(async () => {
    asked += 1;
    throw new Unreachable();
  });
  await vi.advanceTimersByTimeAsync(10 * LOOK_AGAIN_MS);
  expect(observer.getCurrentResult().isError).toBe(true);
  expect([asked, looked]).toEqual([1, 1]);
});
