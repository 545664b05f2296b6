// SPDX-License-Identifier: Apache-2.0
// How far a sweep is, in words.
import type { Sweep } from '../../api/types';
import { decimal } from '../../plots/number';
import { standingOf } from './standing';

/** `1 h 20 min`, `12 min`, `40 s`: as exact as it is worth. */
export function durationInWords(seconds: number): string {
  if (seconds < 90) return `${decimal(seconds, 0)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest ? `${Math.floor(minutes / 60)} h ${rest} min` : `${minutes / 60} h`;
}

function runs(sweep: Sweep): string {
  const failed = sweep.runs_failed ? `, ${decimal(sweep.runs_failed, 0)} failed` : '';
  return `${decimal(sweep.runs_done, 0)} of ${decimal(sweep.runs_planned, 0)} runs${failed}`;
}

export function progressInWords(sweep: Sweep, nowMs: number): string {
  switch (standingOf(sweep, nowMs)) {
    case 'running': {
      const left = sweep.left_s === null ? '' : `, ${durationInWords(sweep.left_s)} left`;
      return `A sweep is on: ${runs(sweep)}${left}.`;
    }
    case 'silent':
      return `No update from a sweep for ${durationInWords((nowMs - Date.parse(sweep.updated_at)) / 1000)}: ${runs(sweep)}.`;
    case 'stopped':
      return `The sweep stopped: ${runs(sweep)}. Rerun the same command to resume, with its --out.`;
    case 'ended':
      return `The sweep has ended: ${runs(sweep)}.`;
  }
}

/** Between 0 and 1. */
export function shareOf(sweep: Sweep): number {
  return sweep.runs_planned ? Math.min(1, (sweep.runs_done + sweep.runs_failed) / sweep.runs_planned) : 0;
}
