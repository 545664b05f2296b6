// SPDX-License-Identifier: Apache-2.0
// Whether the tour is shown: on the first visit to an experiment whose address says nothing of a view, and whenever it is asked for.
import { createStore } from '../../state/store';

const KEY = 'coalescope.tour';

/** Asked for by hand: it takes the focus then. */
export const tour = createStore<{ readonly asked: boolean }>({ asked: false });

export function seen(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    // a visitor whose browser keeps nothing would see it every time
    return true;
  }
}

export function markSeen(): void {
  try {
    localStorage.setItem(KEY, 'seen');
  } catch {
    // nothing is kept, and seen() says so
  }
}

/** An experiment's own page, as its link in the list has it; not somebody's view of it, and not inside another page. */
export const firstVisit = (path: string, query: string, embedded: boolean): boolean =>
  /^\/explorer\/[^/]+$/.test(path) && query === '' && !embedded && !seen();
