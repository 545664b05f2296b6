// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { catalogue } from '../../../../src/engine/catalogue';
import { comparisonOf, placesAcross } from '../../../../src/features/explorer/figure/residuals';
import { residualTold } from '../../../../src/features/explorer/hover/residualTold';
import { slicesOf } from '../../../../src/state/dataSlice';
import { fromQuery } from '../../../../src/state/link';
import { viewOf } from '../../../../src/state/view';
import { schemaOf } from '../../../../src/state/viewSchema';
import { nfs } from '../../../published';

const WIDTH = 300;

it('each stem of the residuals says its cell, its runs and how far it is from the model', () => {
  const subject = nfs();
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery('', schemaOf(subject, slices));
  const view = viewOf(subject, slices, state, null, false);
  const comparison = comparisonOf(view, state.frames);
  if (!comparison) throw new Error('the study has a model');
  const told = (across: number) => residualTold(view, comparison, view.start, across, WIDTH);
  const stems = [...placesAcross(comparison, WIDTH)].flatMap(({ places, from, slot }) =>
    places.map((_, k) => told(from + (k + 0.5) * slot)),
  );
  expect(stems).toHaveLength(27);
  expect(new Set(stems).size).toBe(27);
  for (const words of stems)
    expect(words).toMatch(/^MTU \d+, delay \d+: [\d.]+( ± [\d.]+.*)? jiffies, n = \d+; cell − model [+−]?[\d.]+ %$/);
  expect(told(WIDTH - 5)).toBe('');
});
