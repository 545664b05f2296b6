// SPDX-License-Identifier: Apache-2.0
// The sweep that fills an experiment: looked for now and then, followed while it is on. New data is asked for as it comes.
import { useEffect, useMemo, useState } from 'react';
import { useChange, useFollowed } from '../../api/queries';
import type { Factors, Sweep } from '../../api/types';
import { standingOf } from './standing';

const CLOCK_MS = 10_000;

/** Milliseconds since 1970, told again every ten seconds while something depends on it. */
function useNow(runs: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!runs) return;
    const clock = setInterval(() => setNow(Date.now()), CLOCK_MS);
    return () => clearInterval(clock);
  }, [runs]);
  return now;
}

export interface Followed {
  readonly sweep: Sweep;
  readonly nowMs: number;
}

/** What a sweep that goes on is about to measure; the same array until the plan changes. */
export function usePlan(followed: Followed | null): readonly Factors[] {
  const plan = followed?.sweep.state === 'running' ? JSON.stringify(followed.sweep.cells) : '[]';
  return useMemo(() => JSON.parse(plan), [plan]);
}

/** The newest sweep while it matters: one that is on, silent or stopped, or that ended under the reader's eyes. */
export function useSweep(slug: string): Followed | null {
  const sweep = useChange(slug).data?.sweeps[0];
  const now = useNow(sweep?.state === 'running');
  const standing = sweep && standingOf(sweep, now);
  const [seen, setSeen] = useState<string | null>(null);
  useEffect(() => {
    if (sweep && standing === 'running') setSeen(sweep.id);
  }, [sweep, standing]);
  useFollowed(slug, standing === 'running');
  if (!sweep || (standing === 'ended' && seen !== sweep.id)) return null;
  return { sweep, nowMs: now };
}
