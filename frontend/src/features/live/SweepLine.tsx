// SPDX-License-Identifier: Apache-2.0

import { useSweep } from './useSweep';
import { progressInWords, shareOf, standingOf } from './words';
import './live.css';

/** One line above the experiment: how far its sweep is. */
export function SweepLine({ slug }: { slug: string }) {
  const followed = useSweep(slug);
  if (!followed) return null;
  const { sweep, nowMs } = followed;
  const words = progressInWords(sweep, nowMs);
  return (
    <div className={`sweep ${standingOf(sweep, nowMs)}`}>
      <progress max={1} value={shareOf(sweep)} aria-label="Progress of the sweep" />
      <p role="status">{words}</p>
    </div>
  );
}
