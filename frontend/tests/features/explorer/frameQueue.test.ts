// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { FrameData } from '../../../src/features/explorer/figure/live';
import { createFrameQueue } from '../../../src/features/explorer/frameQueue';

const LIVE = {} as FrameData;

function partsOf(names: string, idle = ''): { queue: ReturnType<typeof createFrameQueue>; written: string[] } {
  const queue = createFrameQueue();
  const written: string[] = [];
  for (const name of names)
    queue.parts.add((_, dragging) => {
      if (!idle.includes(name)) written.push(dragging ? name : name.toUpperCase());
      return !idle.includes(name);
    });
  return { queue, written };
}

function rest({ queue }: { queue: ReturnType<typeof createFrameQueue> }): number {
  let frames = 1;
  while (queue.next(LIVE)) frames += 1;
  return frames;
}

test('in a drag every part has its turn, however often something new is to be written', () => {
  const { queue, written } = partsOf('abc');
  for (let frame = 0; frame < 6; frame++) {
    queue.enqueue();
    queue.next(LIVE);
  }
  expect(written.join('')).toBe('abcabc');
});

test('a hand that rests sees all parts written after a few frames, and then no more are asked for', () => {
  const whole = partsOf('abc');
  whole.queue.enqueue();
  expect(rest(whole)).toBe(3);
  expect(whole.written.join('')).toBe('abc');
  expect(whole.queue.next(LIVE)).toBe(false);
});

test('a part without anything to write does not take a frame', () => {
  const some = partsOf('abcd', 'bc');
  some.queue.enqueue();
  expect(rest(some)).toBe(2);
  expect(some.written.join('')).toBe('ad');
});

test('a hand that lets go sees all of them at once', () => {
  const { queue, written } = partsOf('abc');
  queue.enqueue();
  queue.next(LIVE);
  queue.all(LIVE);
  expect(written.join('')).toBe('aABC');
  expect(queue.next(LIVE)).toBe(false);
});

test('a part that has gone is not called', () => {
  const { queue, written } = partsOf('ab');
  queue.enqueue();
  const [first] = queue.parts;
  queue.parts.delete(first);
  queue.next(LIVE);
  expect(written.join('')).toBe('b');
});

test('what follows is written once for each frame, before the part whose turn it is', () => {
  const { queue, written } = partsOf('abc');
  queue.following.add((_, dragging) => written.push(dragging ? '-' : '='));
  queue.enqueue();
  queue.enqueue();
  queue.next(LIVE);
  queue.next(LIVE);
  expect(written.join('')).toBe('-ab');
  queue.enqueue();
  queue.next(LIVE);
  expect(written.join('')).toBe('-ab-c');
});

test('what follows rests with the hand', () => {
  const { queue, written } = partsOf('a');
  queue.following.add((_, dragging) => written.push(dragging ? '-' : '='));
  queue.enqueue();
  queue.all(LIVE);
  expect(written.join('')).toBe('=A');
  queue.next(LIVE);
  expect(written.join('')).toBe('=A');
});
