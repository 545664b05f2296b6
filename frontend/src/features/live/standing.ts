// SPDX-License-Identifier: Apache-2.0
// Whether a sweep goes on.
import type { Sweep } from '../../api/types';

/** Silent for longer than this, it may have died with its host. */
export const SILENT_MS = 15 * 60_000;

export type Standing = 'running' | 'silent' | 'stopped' | 'ended';

export function standingOf(sweep: Sweep, nowMs: number): Standing {
  if (sweep.state !== 'running') return sweep.state;
  return nowMs - Date.parse(sweep.updated_at) > SILENT_MS ? 'silent' : 'running';
}
