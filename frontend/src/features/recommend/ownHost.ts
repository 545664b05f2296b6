// SPDX-License-Identifier: Apache-2.0
// What measures the reader's own host. No DOM.
import type { Limit } from '../../state/advice';
import { delayMicroseconds, isDelay, isRateOfDelay } from '../../state/layout';
import type { Question } from './question';

const TUNE_GOALS: Readonly<Record<string, string>> = { latency_p50_us: 'p50', latency_p999_us: 'p99.9' };

/** The goal for which `coalescope-host tune` measures a host; null where it has none. */
function tuneGoal({ goal }: Pick<Question, 'goal'>, aimed: string | undefined): string | null {
  if (goal === 'balance' || goal === 'trade') return null;
  return goal === 'latency' ? (TUNE_GOALS[aimed ?? ''] ?? 'p99') : goal;
}

/** A command as typed, and the limit on the wait in it. */
export interface Tuning {
  readonly command: string;
  readonly waitUs: number | null;
}

/** How long a packet may wait where nothing here says it. */
const WAIT_US = 100;

/** What `tune` is asked; null where it has no such goal. Of a cost it asks for a limit on the wait: the one set here, or a usual one. */
export function tuningOf(
  question: Pick<Question, 'goal'>,
  aimed: string | undefined,
  limits: readonly Limit[],
): Tuning | null {
  const goal = tuneGoal(question, aimed);
  if (goal === null) return null;
  const typed = `coalescope-host tune eth1 --goal ${goal}`;
  if (goal !== 'cpu' && goal !== 'energy') return { command: `${typed} --peer root@HOST`, waitUs: null };
  const here = limits
    // a rate waits longer the smaller it is
    .filter(({ measure, limit }) => isDelay(measure) && limit === (isRateOfDelay(measure) ? 'at least' : 'at most'))
    .map(({ measure, value }) => delayMicroseconds(measure, value))
    .filter(Number.isFinite);
  const waitUs = here.length > 0 ? Math.round(Math.min(...here)) : WAIT_US;
  return { command: `${typed} --under delay=${waitUs}us --peer root@HOST`, waitUs };
}
