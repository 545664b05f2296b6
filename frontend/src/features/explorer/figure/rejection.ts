// SPDX-License-Identifier: Apache-2.0
// What the surface must not be taken for, said where it is first looked at.

import { decimal } from '../../../plots/number';
import { isRejected } from '../../../state/fit';
import type { View } from '../../../state/view';
import { namedSetting } from './messages';
import { comparisonOf, worstOf } from './residuals';

/** Whether the surface is a model's that the replicates contradict. */
export const isRejectedModel = ({ mode, fit }: Pick<View, 'mode' | 'fit'>): boolean =>
  mode === 'model' && fit !== null && isRejected(fit);

/** "The replicates reject this model: by 6.8 % at MTU 4500, delay 640." */
export function rejectionWords(view: View): string {
  const comparison = comparisonOf(view, 'counted');
  const most = comparison && worstOf(comparison.points, comparison.predictions(view.start));
  const { x, y } = view.layout;
  const where = [y && most && namedSetting(y, most.point.y), x && most && namedSetting(x, most.point.x)]
    .filter(Boolean)
    .join(', ');
  const how = most ? `: by ${decimal(Math.abs(most.percent), 1)}\u00a0%${where && ` at ${where}`}` : '';
  return `The replicates reject this model${how}.`;
}
