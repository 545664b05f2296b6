// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { Fit } from '../../../src/api/types';
import { FitNote } from '../../../src/features/explorer/panel/FitBlock';
import { assumed } from '../../../src/features/explorer/panel/fitWords';
import { render } from '../render';

const reason = 'The data do not say in which order the runs were recorded.';
const fitOf = (verdict: string, ci95: readonly number[] | null = [1, 2]) =>
  ({
    n: 9,
    left_out: 0,
    estimates: { alpha: { ci95 } },
    bootstrap: { unit: 'replicates', resamples: 1000, seed: 1 },
    diagnostics: { condition_number: 6.6 },
    independence: { verdict, reason },
  }) as unknown as Fit;
const shown = async (fit: Fit) => (await render(<FitNote fit={fit} />)).textContent;

test('beside the intervals stands that the sequence of the runs is not known', async () => {
  const fit = fitOf('not_known');
  expect(assumed(fit)).toBe(reason);
  expect(await shown(fit)).toContain(reason);
});

test('it does not stand there where there are no intervals, or something was found', async () => {
  expect(await shown(fitOf('not_known', null))).not.toContain(reason);
  const found = fitOf('too_few');
  expect(assumed(found)).toBe('');
  expect(await shown(found)).not.toContain(reason);
});
