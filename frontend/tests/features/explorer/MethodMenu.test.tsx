// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { Fit } from '../../../src/api/types';
import { type Explorer, ExplorerContext } from '../../../src/features/explorer/context';
import { IdleLoad } from '../../../src/features/explorer/panel/IdleLoad';
import { MethodMenu } from '../../../src/features/explorer/panel/MethodMenu';
import { fitRequestOf } from '../../../src/features/explorer/prefetch';
import type { ExplorerState } from '../../../src/state/explorer';
import { createStore } from '../../../src/state/store';
import type { Subject } from '../../../src/state/subject';
import type { View } from '../../../src/state/view';
import { press, render } from '../render';

const binding = {
  model: { parameters: ['alpha', 'beta', 'gamma'].map((name) => ({ name })) },
} as unknown as NonNullable<View['binding']>;
const subjectWith = (...measures: string[]) =>
  ({ of: 'experiment', experiment: { measures: measures.map((name) => ({ name })) }, cells: [] }) as unknown as Subject;

async function menu(subject: Subject) {
  const state = {
    measure: 'system_cpu_jiffies_per_gb',
    method: 'ols',
    base: false,
    where: {},
    overrides: { alpha: 1 },
  };
  const store = createStore(state as unknown as ExplorerState);
  const host = await render(
    <ExplorerContext.Provider value={{ store, subject } as unknown as Explorer}>
      <MethodMenu />
    </ExplorerContext.Provider>,
  );
  await press(host.querySelector('button[popovertarget]'));
  return { store, item: host.querySelector('[role="menuitemcheckbox"]') };
}

test('the idle load can be fitted, and is asked of the server', async () => {
  const subject = subjectWith('elapsed_s');
  const { store, item } = await menu(subject);
  expect(fitRequestOf(subject, store.get(), binding)).not.toHaveProperty('base');
  await press(item);
  expect(store.get()).toMatchObject({ base: true, overrides: {} });
  expect(fitRequestOf(subject, store.get(), binding)).toMatchObject({ method: 'ols', base: true });
});

test('it is not offered where the cells do not tell how long they took', async () => {
  const { store, item } = await menu(subjectWith('rx_bytes'));
  expect(item?.textContent).toContain('elapsed_s');
  await press(item);
  expect(store.get().base).toBe(false);
});

test('its value stands below the costs, where it was fitted', async () => {
  const base = { value: 5.2, ci95: [4.5, 5.8], unit: 'jiffies/s' };
  const text = async (estimates: object) =>
    (await render(<IdleLoad fit={{ estimates } as Fit} />)).textContent?.replace(/\s+/g, ' ');
  expect(await text({ base })).toContain('Idle load 5.2 (95 %: 4.5 to 5.8) jiffies/s');
  expect(await text({})).toBe('');
});
