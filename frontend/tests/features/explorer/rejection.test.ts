// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { isRejectedModel, rejectionWords } from '../../../src/features/explorer/figure/rejection';
import { comparisonOf, worstOf } from '../../../src/features/explorer/figure/residuals';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import { viewOf } from '../../../src/state/view';
import { schemaOf } from '../../../src/state/viewSchema';
import { nfs, paperFit } from '../../published';

function view(query: string) {
  const subject = nfs();
  const slices = slicesOf(subject, catalogue);
  return viewOf(subject, slices, fromQuery(query, schemaOf(subject, slices)).state, paperFit(), false);
}

test('a rejected model is said to be off by how much, and where', () => {
  const comparison = comparisonOf(view(''), 'counted');
  const worst = comparison && worstOf(comparison.points, comparison.predictions(view('').start));
  const percent = Math.abs(worst?.percent ?? 0).toFixed(1);
  expect(rejectionWords(view(''))).toBe(
    `The replicates reject this model: by ${percent}\u00a0% at MTU ${worst?.point.y}, delay ${worst?.point.x}.`,
  );
  expect(worst?.percent).not.toBe(0);
});

test('a slider that was moved changes nothing of it', () => {
  expect(rejectionWords(view('gamma=1.25'))).toBe(rejectionWords(view('')));
});

test('without the test of replicates no model is rejected', () => {
  expect(isRejectedModel(view(''))).toBe(false);
});
