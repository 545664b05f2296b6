// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let frames: (() => void)[] = [];
let none = true;
let host: HTMLElement;
let root: Root;
/** Of a page that was just opened. */
let AfterPaint: typeof import('../../src/components/AfterPaint').AfterPaint;
let AfterFirstPaint: typeof import('../../src/components/AfterPaint').AfterFirstPaint;

const show = (part: ReactNode) => act(async () => root.render(part));
const frame = () => act(async () => frames.splice(0).map((call) => call()));
const afterIt = () => act(async () => vi.advanceTimersByTimeAsync(0));

async function painted(): Promise<void> {
  await frame();
  await frame();
  await afterIt();
}

beforeEach(async () => {
  vi.resetModules();
  ({ AfterPaint, AfterFirstPaint } = await import('../../src/components/AfterPaint'));
  const { onPendingWork } = await import('../../src/state/pendingWork');
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('requestAnimationFrame', (call: () => void) => frames.push(call));
  vi.stubGlobal('cancelAnimationFrame', () => {
    frames = [];
  });
  onPendingWork((now) => {
    none = now;
  });
  host = document.createElement('div');
  root = createRoot(host);
});
afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('is not in the first render nor in its frame, but after it; until then the page is under way', async () => {
  await show(<AfterPaint>a table</AfterPaint>);
  expect([host.textContent, none]).toEqual(['', false]);
  for (const _ of ['its own', 'the one that says that it was painted']) {
    await frame();
    expect([host.textContent, none]).toEqual(['', false]);
  }
  await afterIt();
  expect([host.textContent, none]).toEqual(['a table', true]);
});

it('is there at once from then on, whatever it shows', async () => {
  await show(<AfterPaint>a table</AfterPaint>);
  await painted();
  await show(<AfterPaint>another</AfterPaint>);
  expect([host.textContent, none]).toEqual(['another', true]);
});

it('leaves nothing under way when it goes before it came', async () => {
  await show(<AfterPaint>a table</AfterPaint>);
  await show(null);
  expect(none).toBe(true);
  await painted();
  expect(host.textContent).toBe('');
});

it('keeps what stands beside the first picture until that is painted, and nothing later', async () => {
  await show(<AfterFirstPaint>a list</AfterFirstPaint>);
  expect([host.textContent, none]).toEqual(['', false]);
  await painted();
  expect([host.textContent, none]).toEqual(['a list', true]);
  await show(<AfterFirstPaint key="another view">another list</AfterFirstPaint>);
  expect([host.textContent, none]).toEqual(['another list', true]);
});
