// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { catalogue } from '../../../../src/engine/catalogue';
import { type Explorer, ExplorerContext } from '../../../../src/features/explorer/context';
import { FacetLevels } from '../../../../src/features/explorer/facets/FacetLevels';
import { slicesOf } from '../../../../src/state/dataSlice';
import { fromQuery, toQuery } from '../../../../src/state/link';
import { createStore } from '../../../../src/state/store';
import type { ExperimentSubject } from '../../../../src/state/subject';
import { viewOf } from '../../../../src/state/view';
import { schemaOf } from '../../../../src/state/viewSchema';
import { press, render } from '../../render';

const LEVELS = Array.from({ length: 30 }, (_, k) => `host-${String(k).padStart(2, '0')}`);
const DELAYS = [0, 20, 40];
const factor = (name: string, levels: readonly (string | number)[]) => {
  return { name, label: name, unit: '', levels, level_count: levels.length, choice: true };
};
const subject = {
  of: 'experiment',
  experiment: { factors: [factor('host', LEVELS), factor('delay_us', DELAYS)], measures: [{ name: 'latency_us' }] },
  cells: LEVELS.flatMap((host) =>
    DELAYS.map((delay_us) => ({
      ...{ factors: { host, delay_us }, runs: 1, partial_runs: 0 },
      measures: { latency_us: { n: 1, mean: 100 + delay_us, sd: null, ci95: null } },
    })),
  ),
} as unknown as ExperimentSubject;
const slices = slicesOf(subject, catalogue);
const schema = schemaOf(subject, slices);

/** The part as it is at an address, and what it leads to when it is pressed. */
async function at(query: string) {
  const { state } = fromQuery(query, schema);
  const store = createStore(state);
  const view = viewOf(subject, slices, state, null, false);
  const host = await render(
    <ExplorerContext.Provider value={{ store, schema, view } as unknown as Explorer}>
      <FacetLevels />
    </ExplorerContext.Provider>,
  );
  const buttons = [...host.querySelectorAll('button')];
  const button = (name: string) => buttons.find((b) => b.textContent === name) as HTMLButtonElement;
  return {
    pressed: buttons.filter((b) => b.getAttribute('aria-pressed') === 'true').map((b) => b.textContent),
    says: host.querySelector('p span')?.textContent,
    button,
    press: async (name: string) => {
      await press(button(name));
      return new URLSearchParams(toQuery(store.get(), schema)).get('host');
    },
  };
}

test('all levels stand side by side until one is taken out', async () => {
  const all = await at('facet=host&host=host-03');
  expect(all.pressed).toHaveLength(30);
  expect(all.says).toBe('30 of 30');
  expect(all.button('All').disabled).toBe(true);
  const left = (await all.press('host-07'))?.split(',') ?? [];
  expect(left).toHaveLength(29);
  expect(left[0]).toBe('host-03');
  expect(left).not.toContain('host-07');
});

test('one press leaves the chosen level, to which others are added', async () => {
  expect(await (await at('facet=host&host=host-03')).press('Only the chosen one')).toBe('host-03,host-03');
  const one = await at('facet=host&host=host-03,host-03');
  expect([one.pressed, one.says]).toEqual([['host-03'], '1 of 30']);
  expect(one.button('host-03').disabled).toBe(true);
  expect(await one.press('host-01')).toBe('host-03,host-01');
});

test('where the chosen level is taken out, the next one that is left is chosen', async () => {
  expect(await (await at('facet=host&host=host-03,host-20')).press('host-03')).toBe('host-20,host-20');
  expect(await (await at('facet=host&host=host-20,host-03')).press('All')).toBe('host-20');
});
