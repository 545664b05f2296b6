// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act, useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { LevelFilter } from '../../src/components/LevelFilter';
import { press, render } from '../features/render';

const DELAYS = [0, 10, 20, 40, 80];

interface FilterProps {
  readonly start: string;
  readonly notAll?: boolean;
  readonly told: (value: string) => void;
}

function Filter({ start, notAll = false, told }: FilterProps) {
  const [value, setValue] = useState(start);
  const change = (next: string) => {
    told(next);
    setValue(next);
  };
  const about = { name: 'delay_us', label: 'Delay', unit: 'µs', levels: DELAYS };
  return <LevelFilter {...about} value={value} notAll={notAll} onChange={change} />;
}

async function shown(start: string, notAll = false) {
  const told: string[] = [];
  const page = await render(<Filter start={start} notAll={notAll} told={(value) => told.push(value)} />);
  const opening = Object.assign(new Event('beforetoggle'), { newState: 'open' });
  await act(async () => page.querySelector('.menu')?.dispatchEvent(opening));
  const button = page.querySelector('.levelfilter');
  const items = () => [...page.querySelectorAll('[role="menuitemcheckbox"]')];
  const item = (name: string) => items().find((each) => each.textContent === name);
  const ticked = () =>
    items()
      .filter((each) => each.getAttribute('aria-checked') === 'true')
      .map((e) => e.textContent);
  return { told, item, ticked, words: () => button?.getAttribute('aria-label') };
}

afterEach(() => vi.unstubAllGlobals());

it('chooses several levels, one after the other, and says which', async () => {
  const { told, item, ticked, words } = await shown('');
  expect(words()).toBe('Delay: all 5');
  expect(ticked()).toEqual(['all 5']);
  await press(item('20 µs'));
  await press(item('10 µs'));
  expect(told).toEqual(['20', '10,20']);
  expect(words()).toBe('Delay: 10, 20 µs');
  expect(ticked()).toEqual(['10 µs', '20 µs']);
  await press(item('20 µs'));
  await press(item('all 5'));
  expect(told.slice(2)).toEqual(['10', '']);
});

it('offers no choice of all where they cannot be looked at together', async () => {
  const { item } = await shown('20', true);
  expect(item('20 µs')).toBeDefined();
  expect(item('all 5')).toBeUndefined();
});

it('counts many instead of naming them', async () => {
  const { words } = await shown('0,10,20,40');
  expect(words()).toBe('Delay: 4 of 5');
});

it('says that a level of an old address is none', async () => {
  const { ticked, words } = await shown('15');
  expect(words()).toBe('Delay: 15: none has this');
  expect(ticked()).toEqual([]);
});

it('says which level of several is none, and keeps the others', async () => {
  const { told, item, ticked, words } = await shown('10,15,40');
  expect(words()).toBe('Delay: 10, 40 µs; 15: none has this');
  expect(ticked()).toEqual(['10 µs', '40 µs']);
  await press(item('20 µs'));
  expect(told).toEqual(['10,20,40']);
});
