// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act, createRef } from 'react';
import { expect, it, vi } from 'vitest';
import { TypedValue } from '../../../src/features/explorer/panel/TypedValue';
import type { Slider } from '../../../src/state/fit';
import { press, render } from '../render';

const SLIDER: Pick<Slider, 'label' | 'unit' | 'domain' | 'digits' | 'meanings'> = {
  label: 'beta',
  unit: '',
  domain: [0, 1],
  digits: 2,
  meanings: [],
};

const typed = (onValue: (value: number) => void) =>
  render(<TypedValue slider={SLIDER as Slider} id="beta" output={createRef()} value={() => 0.5} onValue={onValue} />);

it.each([
  ['Enter', [0.25]],
  ['Escape', []],
])('%s gives the focus back at once, not with the next frame: the next key may come before it', async (key, taken) => {
  const onValue = vi.fn();
  const host = await typed(onValue);
  vi.stubGlobal('requestAnimationFrame', () => 0);
  await press(host.querySelector('button'));
  const field = host.querySelector('input') as HTMLInputElement;
  field.value = '0.25';
  let focused: Element | null = null;
  await act(async () => {
    field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    focused = document.activeElement;
  });
  expect(focused).toBe(host.querySelector('button'));
  expect(onValue.mock.calls).toEqual(taken.map((value) => [value]));
});

it('what cannot be read keeps the focus where it was typed', async () => {
  const host = await typed(() => undefined);
  await press(host.querySelector('button'));
  const field = host.querySelector('input') as HTMLInputElement;
  field.value = 'much';
  await act(async () => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
  expect(document.activeElement).toBe(field);
  expect(host.querySelector('[role=alert]')).not.toBeNull();
});
