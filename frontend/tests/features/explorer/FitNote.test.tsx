// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { Fit } from '../../../src/api/types';
import { FitNote } from '../../../src/features/explorer/panel/FitBlock';
import { render } from '../render';

const fit = (ci95: [number, number] | null) =>
  ({
    n: 27,
    left_out: 0,
    estimates: { alpha: { value: 0.8, ci95 } },
    diagnostics: { condition_number: 12 },
    bootstrap: { unit: 'replicates', resamples: 1000, seed: 1 },
  }) as unknown as Fit;

test.each([
  [[0.7, 0.9], 'fit, 95 % interval', 1, true],
  [null, 'fit, no intervals', 0, false],
] as const)('the legend of a fit has an interval where there is one: %j', async (ci95, words, drawn, made) => {
  const host = await render(<FitNote fit={fit(ci95 && [...ci95])} />);
  expect(host.textContent).toContain(`${words}27 cells, condition 12`);
  expect(host.querySelectorAll('path')).toHaveLength(drawn);
  expect(host.textContent?.includes('resamples of the replicates')).toBe(made);
});
