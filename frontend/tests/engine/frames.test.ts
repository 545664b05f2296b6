// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { frames, spareTime } from '../../src/engine/frames';
import { onPendingWork } from '../../src/state/pendingWork';

let coming: (() => void)[] = [];
let none = true;
const layOut = vi.fn();

const frame = (): void => {
  const calls = coming;
  coming = [];
  for (const call of calls) call();
};

beforeEach(() => {
  coming = [];
  vi.useFakeTimers();
  vi.stubGlobal('document', { documentElement: { getBoundingClientRect: layOut } });
  vi.stubGlobal('requestAnimationFrame', (call: () => void) => coming.push(call));
  vi.stubGlobal('cancelAnimationFrame', () => {
    coming = [];
  });
  onPendingWork((now) => {
    none = now;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('many who ask get one drawing', () => {
  const draw = vi.fn();
  const loop = frames(draw);
  loop.ask();
  loop.ask();
  expect(none).toBe(false);
  frame();
  expect(draw).toHaveBeenCalledTimes(1);
  expect(none).toBe(true);
});

test('a drawing that asks for the next one keeps the page under way, and no longer', () => {
  let more = 2;
  const loop = frames(() => {
    if (more-- > 0) loop.ask();
  });
  loop.ask();
  frame();
  expect(none).toBe(false);
  frame();
  expect(none).toBe(false);
  frame();
  expect(none).toBe(true);
});

test('a drawing that fails is over too', () => {
  const loop = frames(() => {
    throw new Error('no picture');
  });
  loop.ask();
  expect(frame).toThrow('no picture');
  expect(none).toBe(true);
});

test('what a frame leaves is worked in once, after the frame, and laid out', () => {
  const work = vi.fn(() => expect(layOut).not.toHaveBeenCalled());
  const spare = spareTime(work);
  const loop = frames(() => {
    spare.ask();
    spare.ask();
  });
  layOut.mockClear();
  loop.ask();
  frame();
  expect(work).not.toHaveBeenCalled();
  expect(none).toBe(false);
  vi.runAllTimers();
  expect(work).toHaveBeenCalledTimes(1);
  expect(layOut).toHaveBeenCalledTimes(1);
  expect(none).toBe(true);
  layOut.mockClear();
  loop.ask();
  frame();
  vi.runAllTimers();
  expect(work).toHaveBeenCalledTimes(2);
});

test('work that asks for the next frame keeps the page under way', () => {
  const loop = frames(() => undefined);
  const spare = spareTime(() => loop.ask());
  spare.ask();
  vi.runAllTimers();
  expect(none).toBe(false);
  frame();
  expect(none).toBe(true);
});

test('work that is stopped is not done, and is over', () => {
  const work = vi.fn();
  const spare = spareTime(work);
  spare.ask();
  spare.stop();
  expect(none).toBe(true);
  vi.runAllTimers();
  expect(work).not.toHaveBeenCalled();
  spare.ask();
  vi.runAllTimers();
  expect(work).toHaveBeenCalledTimes(1);
});

test('work that fails is over too, and may be asked for again', () => {
  const spare = spareTime(() => {
    throw new Error('no picture');
  });
  spare.ask();
  expect(() => vi.runAllTimers()).toThrow('no picture');
  expect(none).toBe(true);
  spare.ask();
  expect(none).toBe(false);
  spare.stop();
});
