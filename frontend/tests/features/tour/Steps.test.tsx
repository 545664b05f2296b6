// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Steps } from '../../../src/features/tour/Steps';

let root: Root;
let sought: string[] = [];

/** The parts that a page has by now, by their classes. */
function stand(...parts: readonly string[]): void {
  const page = document.querySelector('.explorer') as HTMLElement;
  page.innerHTML = parts.map((part) => `<div class="${part}"></div>`).join('');
  for (const each of page.children) {
    each.scrollIntoView = () => sought.push(each.className);
    each.getBoundingClientRect = () => new DOMRect(400, 300, 200, 100);
  }
}

const says = () => document.querySelector('[role=status] b')?.textContent;
const go = (label: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)?.click());

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  document.body.innerHTML = '<div class="explorer"></div><div id="host"></div>';
  sought = [];
  stand('param', 'advice');
  root = createRoot(document.getElementById('host') as HTMLElement);
  await act(async () => root.render(<Steps asked={false} onEnd={() => undefined} />));
});
afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});

it('ends with Escape, wherever the focus is, and not while a menu is open', async () => {
  let ended = 0;
  await act(async () => root.render(<Steps asked={false} onEnd={() => (ended += 1)} />));
  const pressEscape = () =>
    act(async () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  const dialog = document.createElement('dialog');
  dialog.setAttribute('open', '');
  document.body.append(dialog);
  await pressEscape();
  expect(ended).toBe(0);
  dialog.remove();
  await pressEscape();
  expect(ended).toBe(1);
});

it('goes to the next part of those that are there now, and the page with it', async () => {
  expect(says()).toBe('Every parameter with its interval');
  stand('param', 'handle', 'advice');
  await go('Next');
  expect([says(), sought]).toEqual(['Pull the line itself', ['handle']]);
});

it('counts from the part it speaks of, though another came before it', async () => {
  await go('Next');
  expect(says()).toBe('What to set');
  stand('param', 'handle', 'advice');
  await go('Back');
  expect([says(), sought.at(-1)]).toEqual(['Pull the line itself', 'handle']);
});

it('begins at the first of the parts, though others came before it, and counts them all', {
  tags: 'fault:P11',
}, async () => {
  const said = () => [document.querySelector('footer .note')?.textContent, says()];
  const later = () => act(async () => new Promise((over) => setTimeout(over, 400)));
  stand('advice');
  await act(async () => root.render(<Steps key="late" asked={true} onEnd={() => undefined} />));
  expect(said()).toEqual(['1 of 1', 'What to set']);
  stand('param', 'advice');
  await later();
  expect(said()).toEqual(['1 of 2', 'Every parameter with its interval']);
  await go('Next');
  stand('param', 'handle', 'advice');
  await later();
  expect(said()).toEqual(['3 of 3', 'What to set']);
});

it('speaks of a part, and stands beside it, once the part has an extent', async () => {
  vi.useFakeTimers();
  await act(async () => root.unmount());
  stand('param');
  const part = document.querySelector('.param') as HTMLElement;
  part.getBoundingClientRect = () => new DOMRect();
  root = createRoot(document.getElementById('host') as HTMLElement);
  await act(async () => root.render(<Steps asked={true} onEnd={() => undefined} />));
  expect(says()).toBeUndefined();
  const marked = () => (document.querySelector('.tourmark') as HTMLElement).style.left;
  for (const left of [400, 500]) {
    part.getBoundingClientRect = () => new DOMRect(left, 300, 200, 100);
    await act(async () => vi.advanceTimersByTime(1000));
    expect([says(), marked()]).toEqual(['Every parameter with its interval', `${left - 4}px`]);
  }
  vi.useRealTimers();
});

it('brings its part into sight once more when others have come, which move it', async () => {
  vi.useFakeTimers();
  await act(async () => root.render(<Steps key="asked" asked={true} onEnd={() => undefined} />));
  expect(sought).toEqual(['param']);
  stand('param', 'handle', 'advice');
  await act(async () => vi.advanceTimersByTime(1000));
  expect(sought).toEqual(['param', 'param']);
  vi.useRealTimers();
});
