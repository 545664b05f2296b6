// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { NonlinearFit } from '../../../src/api/types';
import { RESIDUALS_HEIGHT, residualShapes } from '../../../src/features/workshop/residuals';
import { sheet } from '../../tokens';

const fitOf = (...deviations: number[]): NonlinearFit =>
  ({ residuals: deviations.map((deviation_percent) => ({ deviation_percent })) }) as NonlinearFit;

it('draws each cell above or below the model, what has no number not at all', async () => {
  const shapes = residualShapes(fitOf(1.86, -0.7, 0, Number.NaN, 4.1), 'published', 320);
  const text = sheet('residuals', shapes, [320, RESIDUALS_HEIGHT]);
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
  await expect(text).toMatchFileSnapshot('golden/residuals.svg');
  expect(residualShapes(fitOf(Number.NaN), 'published', 320)).toEqual([]);
});
