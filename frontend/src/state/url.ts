// SPDX-License-Identifier: Apache-2.0
// The explorer's state in the address bar. Nothing else in the page writes the query.
import { startWork } from './pendingWork';

const QUIET_MS = 200;

// What an address without a query stands for; '' but in a file that holds a view.
let held = '';

/** The query now, without the question mark. */
export const currentQuery = (): string => location.search.slice(1) || held;

/** A file that holds a view starts from it, until its address says otherwise. */
export function startFrom(query: string): void {
  held = query;
}

const IDENTITY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Runs that the view leaves out, as the address names them: `?without=ID,ID`. What is no identity spoils no view. */
export const leftOutOf = (query: string): string[] => [
  ...new Set((new URLSearchParams(query).get('without') ?? '').split(',').filter((id) => IDENTITY.test(id))),
];

let waiting: ReturnType<typeof setTimeout> | undefined;
let pending: (() => void) | null = null;
let path = '';
let last = 0;
let over = (): void => undefined;

function kept(): [string, string][] {
  const now = new URLSearchParams(location.search);
  return ['theme', 'without', 'sliders'].flatMap((name) => {
    const value = now.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
}

function replace(query: string): void {
  const foreign = new URLSearchParams(kept()).toString();
  const whole = [query, foreign].filter((part) => part !== '').join('&');
  const url = location.pathname + (whole ? `?${whole}` : '') + location.hash;
  if (url === location.pathname + location.search + location.hash) return;
  try {
    history.replaceState(history.state, '', url);
  } catch {
    // Some browsers let no file change its address: the view is kept while the file is open.
  }
}

/**
 * Puts the query into the address once nothing has moved for a moment: browsers limit how often an address may change. The query is
 * made only then.
 */
export function writeQuery(query: () => string): void {
  if (pending === null) path = location.pathname;
  pending = () => {
    // the reader may have gone to another page meanwhile
    if (location.pathname === path) replace(query());
  };
  last = performance.now();
  if (waiting === undefined) over = startWork();
  // who leaves for another site finds it when coming back; going back within the page leaves no moment for it
  addEventListener('pagehide', flushQuery, { once: true });
  waiting ??= setTimeout(settle, QUIET_MS);
}

/** One timer for a whole drag: it looks whether things are quiet, and comes back if not. */
function settle(): void {
  const left = last + QUIET_MS - performance.now();
  waiting = left > 1 ? setTimeout(settle, left) : undefined;
  if (waiting === undefined) flushQuery();
}

/** What still waits, at once: before the address is copied, or the page is left. */
export function flushQuery(): void {
  clearTimeout(waiting);
  waiting = undefined;
  const write = pending;
  pending = null;
  try {
    write?.();
  } finally {
    over();
  }
}
