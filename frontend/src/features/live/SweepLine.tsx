// SPDX-License-Identifier: Apache-2.0

import { progressInWords, shareOf } from './messages';
import { standingOf } from './standing';
import type { Followed } from './useSweep';
import './live.css';

/** One line above the experiment: how far its sweep is. */
export function SweepLine({ followed }: { followed: Followed }) {
  const { sweep, nowMs } = followed;
  const words = progressInWords(sweep, nowMs);
  return (
    <div className={`sweep ${standingOf(sweep, nowMs)}`}>
      <progress max={1} value={shareOf(sweep)} aria-label="Progress of the sweep" />
      <p role="status">{words}</p>
    </div>
  );
}
