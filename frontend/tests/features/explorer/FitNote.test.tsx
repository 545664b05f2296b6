// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { Fit } from '../../../src/api/types';
import { FitNote } from '../../../src/features/explorer/panel/FitBlock';
import { render } from '../render';

const fitWith = (ci95: readonly number[] | null, conditional: readonly number[] | null) =>
  ({
    n: 27,
    left_out: 0,
    estimates: { alpha: { value: 0.8, ci95, ci95_if_independent: conditional } },
    diagnostics: { condition_number: 12 },
    bootstrap: { unit: 'replicates', resamples: 1000, seed: 1 },
  }) as unknown as Fit;

test.each([
  [[0.7, 0.9], null, 'fit, 95 % interval', 'solid', true],
  [null, [0.6, 1.0], 'fit, 95 % interval if independent', 'dashed', true],
  [null, null, 'fit, no intervals', 'absent', false],
] as const)('the legend of a fit has its kind of interval: %j, %j', async (ci95, conditional, words, drawn, made) => {
  const host = await render(<FitNote fit={fitWith(ci95, conditional)} />);
  expect(host.textContent).toContain(`${words}27 cells, condition 12`);
  const paths = [...host.querySelectorAll('path')];
  const dashed = paths.some((path) => path.hasAttribute('stroke-dasharray'));
  expect(paths.length === 0 ? 'absent' : dashed ? 'dashed' : 'solid').toBe(drawn);
  expect(host.textContent?.includes('resamples of the replicates')).toBe(made);
});
