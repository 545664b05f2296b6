// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Fit } from '../../../src/api/types';
import { WithoutProbes } from '../../../src/features/explorer/panel/WithoutProbes';
import type { Slider } from '../../../src/state/fit';
import { render } from '../render';

const sliders = ['beta', 'gamma'].map((name) => ({ name, symbolMath: `<mi>${name}</mi>`, digits: 3 })) as Slider[];
const estimates = { beta: { value: 0.2664 }, gamma: { value: 1.1098 } };

const shown = async (without: unknown): Promise<string> => {
  const host = await render(<WithoutProbes fit={{ without_probes: without } as Fit} sliders={sliders} />);
  return host.textContent ?? '';
};

test('each cost stands there without that of counting', async () => {
  expect(await shown(estimates)).toBe(
    'Without the least that counting cost (all of it was three to four times that in benchmarks): beta at most 0.266, gamma at most 1.110',
  );
});

test('the interface says of the same estimates what the page says', async () => {
  const [said = ''] = (await shown(estimates)).split(': beta');
  expect(readFileSync('../docs/openapi.json', 'utf8')).toContain(said.replace('Without', 'without'));
});

test.each([null, undefined])('nothing stands there where the runs do not say what counting cost', async (without) => {
  expect(await shown(without)).toBe('');
});
