// SPDX-License-Identifier: Apache-2.0
// A list of runs that was kept whole, filtered, sorted and cut as the server does it (backend/src/coalescope/runs).
import type { Run, RunState } from './types';

const OWN = new Set(['limit', 'offset', 'cell', 'state', 'warnings', 'sort']);
const DEFAULT_LIMIT = 100;

const STATES: Readonly<Record<RunState, (run: Run) => boolean>> = {
  current: ({ status }) => status === 'current',
  whole: ({ status, partial }) => status === 'current' && !partial,
  partial: ({ status, partial }) => status === 'current' && partial,
  retracted: ({ status }) => status === 'retracted',
};

function isListed(run: Run, query: URLSearchParams): boolean {
  const state = query.get('state');
  const warnings = query.get('warnings');
  if (state !== null && !STATES[state as RunState]?.(run)) return false;
  if (warnings !== null && run.warning_codes.length > 0 !== (warnings === 'some')) return false;
  return [...query].every(([name, level]) => OWN.has(name) || String(run.factors[name]) === level);
}

type Key = number | string | null;

function keyOf(run: Run, name: string): Key {
  if (name === 'recorded') return run.recorded_at ?? run.created_at;
  if (name === 'replicate') return run.replicate;
  return run.factors[name] ?? run.measures[name]?.value ?? null;
}

/** Numbers before texts; what is missing comes last in either direction. */
function inOrder(a: Key, b: Key, falling: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const rising = typeof a === typeof b ? (a < b ? -1 : Number(a > b)) : typeof a === 'number' ? -1 : 1;
  return falling ? -rising : rising;
}

function sorted(runs: readonly Run[], sort: string): readonly Run[] {
  const name = sort.replace(/^-/, '');
  const falling = sort.startsWith('-');
  if (name === 'stored') return falling ? runs.toReversed() : runs;
  return runs.toSorted((a, b) => inOrder(keyOf(a, name), keyOf(b, name), falling));
}

/** One page of the runs that the query asks for. */
export function pageOf(runs: readonly Run[], query: URLSearchParams): { total: number; runs: readonly Run[] } {
  const found = sorted(
    runs.filter((run) => isListed(run, query)),
    query.get('sort') ?? 'stored',
  );
  const offset = Number(query.get('offset') ?? 0);
  return { total: found.length, runs: found.slice(offset, offset + Number(query.get('limit') ?? DEFAULT_LIMIT)) };
}
