// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type TextLink, useTextLink } from '../../../src/features/workshop/useTextLink';
import { currentFragment, replaceFragment } from '../../../src/state/address';
import { render } from '../render';

// what packs a text into a link takes its time, and is answered when the test says so
let pack: (fragment: string | null) => void;
vi.mock('../../../src/state/sourceLink', () => ({
  toFragment: () =>
    new Promise((resolve) => {
      pack = resolve;
    }),
}));

async function opened(): Promise<TextLink> {
  const held: { link?: TextLink } = {};
  function Page() {
    held.link = useTextLink(() => 'text');
    return null;
  }
  await render(<Page />);
  if (!held.link) throw new Error('nothing was rendered');
  return held.link;
}

const pause = () => act(() => new Promise((resolve) => setTimeout(resolve, 350)));
const packed = (fragment: string | null) => act(async () => pack(fragment));

beforeEach(() => replaceFragment(''));
afterEach(() => vi.unstubAllGlobals());

it('brings a text into the address once its writer pauses', async () => {
  (await opened()).changed();
  await pause();
  await packed('python=a');
  expect(currentFragment()).toBe('python=a');
});

it('leaves an address alone that is opened while a text is packed', async () => {
  const link = await opened();
  link.changed();
  await pause();
  link.stop();
  await packed('python=a');
  expect(currentFragment()).toBe('');
});

it('leaves the address of another text alone that is opened while one is packed that was typed after it was asked for', async () => {
  const link = await opened();
  link.stop();
  link.changed();
  await pause();
  act(() => link.reset());
  await packed('python=a');
  expect(currentFragment()).toBe('');
});

it('does not bring a text that was written on', async () => {
  const link = await opened();
  link.changed();
  await pause();
  link.changed();
  await packed('python=a');
  expect(currentFragment()).toBe('');
  link.stop();
});
