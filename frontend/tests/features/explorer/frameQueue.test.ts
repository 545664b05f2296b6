// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { FrameData } from '../../../src/features/explorer/figure/live';
import { createFrameQueue } from '../../../src/features/explorer/frameQueue';

const LIVE = {} as FrameData;

function partsOf(names: string, idle = ''): { spareTimeParts: ReturnType<typeof createFrameQueue>; written: string[] } {
  const spareTimeParts = createFrameQueue();
  const written: string[] = [];
  for (const name of names)
    spareTimeParts.parts.add((_, dragging) => {
      if (!idle.includes(name)) written.push(dragging ? name : name.toUpperCase());
      return !idle.includes(name);
    });
  return { spareTimeParts, written };
}

function rest({ spareTimeParts }: { spareTimeParts: ReturnType<typeof createFrameQueue> }): number {
  let frames = 1;
  while (spareTimeParts.next(LIVE)) frames += 1;
  return frames;
}

test('in a drag every part has its turn, however often something new is to be written', () => {
  const { spareTimeParts, written } = partsOf('abc');
  for (let frame = 0; frame < 6; frame++) {
    spareTimeParts.enqueue();
    spareTimeParts.next(LIVE);
  }
  expect(written.join('')).toBe('abcabc');
});

test('a hand that rests sees all parts written after a few frames, and then no more are asked for', () => {
  const whole = partsOf('abc');
  whole.spareTimeParts.enqueue();
  expect(rest(whole)).toBe(3);
  expect(whole.written.join('')).toBe('abc');
  expect(whole.spareTimeParts.next(LIVE)).toBe(false);
});

test('a part without anything to write does not take a frame', () => {
  const some = partsOf('abcd', 'bc');
  some.spareTimeParts.enqueue();
  expect(rest(some)).toBe(2);
  expect(some.written.join('')).toBe('ad');
});

test('a hand that lets go sees all of them at once', () => {
  const { spareTimeParts, written } = partsOf('abc');
  spareTimeParts.enqueue();
  spareTimeParts.next(LIVE);
  spareTimeParts.all(LIVE);
  expect(written.join('')).toBe('aABC');
  expect(spareTimeParts.next(LIVE)).toBe(false);
});

test('a part that has gone is not called', () => {
  const { spareTimeParts, written } = partsOf('ab');
  spareTimeParts.enqueue();
  const [first] = spareTimeParts.parts;
  spareTimeParts.parts.delete(first);
  spareTimeParts.next(LIVE);
  expect(written.join('')).toBe('b');
});

test('what follows is written once for each frame, before the part whose turn it is', () => {
  const { spareTimeParts, written } = partsOf('abc');
  spareTimeParts.following.add((_, dragging) => written.push(dragging ? '-' : '='));
  spareTimeParts.enqueue();
  spareTimeParts.enqueue();
  spareTimeParts.next(LIVE);
  spareTimeParts.next(LIVE);
  expect(written.join('')).toBe('-ab');
  spareTimeParts.enqueue();
  spareTimeParts.next(LIVE);
  expect(written.join('')).toBe('-ab-c');
});

test('what follows rests with the hand', () => {
  const { spareTimeParts, written } = partsOf('a');
  spareTimeParts.following.add((_, dragging) => written.push(dragging ? '-' : '='));
  spareTimeParts.enqueue();
  spareTimeParts.all(LIVE);
  expect(written.join('')).toBe('=A');
  spareTimeParts.next(LIVE);
  expect(written.join('')).toBe('=A');
});
