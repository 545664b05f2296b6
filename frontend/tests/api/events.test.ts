// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, test, vi } from 'vitest';
import { eventsIn, follow } from '../../src/api/events';

test('only whole events count, and pings carry nothing', () => {
  expect(eventsIn(': ping\n\ndata: {"a":1}\n\ndata: {"b"')).toEqual({ data: ['{"a":1}'], rest: 'data: {"b"' });
  expect(eventsIn('event: x\r\ndata: 1\r\ndata: 2\r\n\r\n')).toEqual({ data: ['1\n2'], rest: '' });
});

const streamOf = (...chunks: string[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }),
  );

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a stream that breaks is opened again, and ends when it is told to', async () => {
  vi.useFakeTimers();
  const ended = new AbortController();
  const answers = [
    () => Promise.reject(new TypeError('gone')),
    () => Promise.resolve(streamOf('data: {"n"', ':1}\n\n')),
    () => Promise.resolve(streamOf('data: {"n":2}\n\n')),
  ];
  vi.stubGlobal(
    'fetch',
    vi.fn(() => (answers.shift() ?? (() => new Promise<Response>(() => undefined)))()),
  );
  const seen: number[] = [];
  const following = follow<{ n: number }>(
    'http://127.0.0.1:8000/api/experiments/a/events',
    ({ n }) => {
      seen.push(n);
      if (n === 2) ended.abort();
    },
    ended.signal,
  );
  await vi.advanceTimersByTimeAsync(10_000);
  await following;
  expect(seen).toEqual([1, 2]);
});
