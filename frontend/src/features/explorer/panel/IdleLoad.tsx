// SPDX-License-Identifier: Apache-2.0

import type { Fit } from '../../../api/types';
import { Rich } from '../../../components/Rich';
import { brief } from '../../../plots/number';
import { conditionOf, intervalOf } from '../../../state/fit';

/** What passes without traffic, where it was fitted. The surface has only what traffic costs. */
export function IdleLoad({ fit }: { fit: Fit }) {
  const base = fit.estimates.base;
  if (typeof base?.value !== 'number') return null;
  const ends = intervalOf(base);
  const interval = ends && ` (95 %${conditionOf(base)}: ${brief(ends[0], 4)} to ${brief(ends[1], 4)})`;
  return (
    <p className="note">
      Idle load {brief(base.value, 4)}
      {interval} <Rich>{base.unit}</Rich>, at any traffic. The surface is what traffic costs beside it, so that cells
      lie above.
    </p>
  );
}
