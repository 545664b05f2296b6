// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Menu, MenuItem } from '../../src/components/Menu';

let root: Root;

/** As the browser says that the popover is about to open, or close, and has. */
async function toggle(newState: 'open' | 'closed'): Promise<void> {
  const menu = document.querySelector('.menu') as HTMLElement;
  for (const type of ['beforetoggle', 'toggle'])
    await act(async () => menu.dispatchEvent(Object.assign(new Event(type), { newState })));
}

const menuOf = (...names: string[]) =>
  act(async () =>
    root.render(
      <Menu label="More" trigger="more">
        {names.map((name) => (
          <MenuItem key={name} onSelect={() => {}}>
            {name}
          </MenuItem>
        ))}
      </Menu>,
    ),
  );

const inFocus = () => document.activeElement?.textContent;

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  // the page has not painted yet
  vi.stubGlobal('requestAnimationFrame', () => 0);
  const host = document.createElement('div');
  document.body.append(host);
  root = createRoot(host);
  await menuOf('first', 'second');
});
afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

it('opens on its first item, also for a hand that is quicker than its items', async () => {
  expect(document.querySelectorAll('[role=menuitem]')).toHaveLength(0);
  await toggle('open');
  expect(document.querySelectorAll('[role=menuitem]')).toHaveLength(2);
  expect(inFocus()).toBe('first');
});

it('tells the browser before it opens who gets the focus: the next key may come before the page hears of it', async () => {
  const menu = document.querySelector('.menu') as HTMLElement;
  await act(async () => menu.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' })));
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  expect(items.filter(({ autofocus }) => autofocus)).toEqual([items[0]]);
});

it('opens before its items are here: the focus goes to the first when they come, unless it has gone elsewhere', async () => {
  const show = (...names: string[]) =>
    act(async () =>
      root.render(
        <Menu label="Experiment" trigger="Experiment" after={<input />}>
          {names.map((name) => (
            <MenuItem key={name} onSelect={() => {}}>
              {name}
            </MenuItem>
          ))}
        </Menu>,
      ),
    );
  await show();
  await toggle('open');
  expect(document.activeElement?.getAttribute('role')).toBe('menu');
  await show('NFS', 'TCP');
  expect(inFocus()).toBe('NFS');
  await show();
  await toggle('open');
  document.querySelector('input')?.focus();
  await show('NFS', 'TCP');
  expect(document.activeElement?.tagName).toBe('INPUT');
});

it('goes from item to item by arrows, and round', async () => {
  await toggle('open');
  const press = (key: string) =>
    act(async () => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
  await press('ArrowDown');
  expect(inFocus()).toBe('second');
  await press('ArrowDown');
  expect(inFocus()).toBe('first');
  await press('End');
  expect(inFocus()).toBe('second');
});
