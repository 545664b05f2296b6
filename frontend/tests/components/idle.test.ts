// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { markIdle } from '../../src/components/idle';
import { startWork } from '../../src/state/pendingWork';

const root = { stands: false };
const element = {
  removeAttribute: () => {
    root.stands = false;
  },
  toggleAttribute: (_: string, on: boolean) => {
    root.stands = on;
  },
} as unknown as HTMLElement;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { fonts: { ready: Promise.resolve() } });
  vi.stubGlobal('requestAnimationFrame', (then: () => void) => then());
  markIdle(element);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('stands once nothing has been under way for a moment', async () => {
  const [one, other] = [startWork(), startWork()];
  await vi.advanceTimersByTimeAsync(1000);
  expect(root.stands).toBe(false);
  one();
  one(); // said twice, over once
  await vi.advanceTimersByTimeAsync(1000);
  expect(root.stands).toBe(false);
  other();
  await vi.advanceTimersByTimeAsync(100);
  expect(root.stands).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(root.stands).toBe(true);
});

it('falls as soon as something begins, and a chain of things never lets it stand', async () => {
  await vi.advanceTimersByTimeAsync(1000);
  expect(root.stands).toBe(true);
  for (let step = 0; step < 20; step++) {
    const done = startWork();
    expect(root.stands).toBe(false);
    done();
    await vi.advanceTimersByTimeAsync(100);
    expect(root.stands).toBe(false);
  }
  await vi.advanceTimersByTimeAsync(200);
  expect(root.stands).toBe(true);
});

it('waits anew for what began and ended before the frame that would have let it stand', async () => {
  let frame = (): void => undefined;
  vi.stubGlobal('requestAnimationFrame', (then: () => void) => {
    frame = then;
  });
  startWork()();
  await vi.advanceTimersByTimeAsync(200);
  startWork()();
  frame();
  expect(root.stands).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  frame();
  expect(root.stands).toBe(true);
});
