// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Live } from '../../../src/features/explorer/figure/live';
import { turnsOf } from '../../../src/features/explorer/turns';

const LIVE = {} as Live;

function partsOf(names: string, idle = ''): { turns: ReturnType<typeof turnsOf>; written: string[] } {
  const turns = turnsOf();
  const written: string[] = [];
  for (const name of names)
    turns.parts.add((_, held) => {
      if (!idle.includes(name)) written.push(held ? name : name.toUpperCase());
      return !idle.includes(name);
    });
  return { turns, written };
}

function rest({ turns }: { turns: ReturnType<typeof turnsOf> }): number {
  let frames = 1;
  while (turns.next(LIVE)) frames += 1;
  return frames;
}

test('in a drag every part has its turn, however often something new is to be written', () => {
  const { turns, written } = partsOf('abc');
  for (let frame = 0; frame < 6; frame++) {
    turns.owe();
    turns.next(LIVE);
  }
  expect(written.join('')).toBe('abcabc');
});

test('a hand that rests sees all parts written after a few frames, and then no more are asked for', () => {
  const whole = partsOf('abc');
  whole.turns.owe();
  expect(rest(whole)).toBe(3);
  expect(whole.written.join('')).toBe('abc');
  expect(whole.turns.next(LIVE)).toBe(false);
});

test('a part without anything to write does not take a frame', () => {
  const some = partsOf('abcd', 'bc');
  some.turns.owe();
  expect(rest(some)).toBe(2);
  expect(some.written.join('')).toBe('ad');
});

test('a hand that lets go sees all of them at once', () => {
  const { turns, written } = partsOf('abc');
  turns.owe();
  turns.next(LIVE);
  turns.all(LIVE);
  expect(written.join('')).toBe('aABC');
  expect(turns.next(LIVE)).toBe(false);
});

test('a part that has gone is not called', () => {
  const { turns, written } = partsOf('ab');
  turns.owe();
  const [first] = turns.parts;
  turns.parts.delete(first);
  turns.next(LIVE);
  expect(written.join('')).toBe('b');
});

test('what follows is written once for each frame, before the part whose turn it is', () => {
  const { turns, written } = partsOf('abc');
  turns.following.add((_, held) => written.push(held ? '-' : '='));
  turns.owe();
  turns.owe();
  turns.next(LIVE);
  turns.next(LIVE);
  expect(written.join('')).toBe('-ab');
  turns.owe();
  turns.next(LIVE);
  expect(written.join('')).toBe('-ab-c');
});

test('what follows rests with the hand', () => {
  const { turns, written } = partsOf('a');
  turns.following.add((_, held) => written.push(held ? '-' : '='));
  turns.owe();
  turns.all(LIVE);
  expect(written.join('')).toBe('=A');
  turns.next(LIVE);
  expect(written.join('')).toBe('=A');
});
