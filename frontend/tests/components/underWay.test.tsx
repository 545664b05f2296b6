// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act, type ReactNode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import { LoadingLine } from '../../src/components/Loading';
import { OnMounted } from '../../src/components/OnMounted';
import { onPendingWork, startWork } from '../../src/state/pendingWork';

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
const root = createRoot(document.createElement('div'));
const show = (part: ReactNode) => act(async () => root.render(part));
const heard: boolean[] = [];
onPendingWork((none) => heard.push(none));

it('a line that says that something is loading is under way while it stands', async () => {
  await show(<LoadingLine />);
  expect(heard.at(-1)).toBe(false);
  await show(null);
  expect(heard.at(-1)).toBe(true);
});

it('a page is drawn when all in it has begun what it waits for: there is no moment between', async () => {
  let over = (): void => undefined;
  function Part() {
    useEffect(() => {
      over = startWork();
    }, []);
    return null;
  }
  const drawn = startWork();
  heard.length = 0;
  await show(
    <OnMounted over={drawn}>
      <Part />
    </OnMounted>,
  );
  expect(heard).toEqual([]);
  over();
  expect(heard).toEqual([true]);
});
