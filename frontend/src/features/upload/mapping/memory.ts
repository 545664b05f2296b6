// SPDX-License-Identifier: Apache-2.0
// What was said of files with the same header, kept in this browser.
import { type Draft, type DraftColumn, REMEMBERED } from './draft';

const KEY = 'coalescope.mappings';
const MOST = 50;

type Kept = readonly (readonly [string, readonly DraftColumn[]])[];

const keyOf = (columns: readonly string[]): string => JSON.stringify(columns);

function isKept(value: unknown): value is Kept {
  return (
    Array.isArray(value) &&
    value.every((each) => Array.isArray(each) && typeof each[0] === 'string' && Array.isArray(each[1]))
  );
}

function kept(store: Storage): Kept {
  try {
    const found: unknown = JSON.parse(store.getItem(KEY) ?? '[]');
    return isKept(found) ? found : [];
  } catch {
    return [];
  }
}

/** Keeps what was said for the next file with these columns. */
export function remember(draft: Draft, store: Storage): void {
  const key = keyOf(draft.map(({ column }) => column));
  const others = kept(store).filter(([each]) => each !== key);
  try {
    store.setItem(KEY, JSON.stringify([[key, draft], ...others].slice(0, MOST)));
  } catch {
    // a browser that keeps nothing: the next file is asked about again
  }
}

/** What was said of the last file with these columns; null where there was none. */
export function recall(proposed: Draft, store: Storage): Draft | null {
  const key = keyOf(proposed.map(({ column }) => column));
  const found = kept(store).find(([each]) => each === key)?.[1];
  if (!found || found.length !== proposed.length) return null;
  return proposed.map((column, i) => ({
    ...column,
    role: found[i].role,
    quantity: found[i].quantity,
    unit: found[i].unit,
    decided: true,
    certainty: 'yours',
    why: REMEMBERED,
  }));
}
