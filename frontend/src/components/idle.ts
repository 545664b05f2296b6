// SPDX-License-Identifier: Apache-2.0
// <html data-settled> is there while nothing is under way: for programs that take pictures of the page.
import { onPendingWork } from '../state/pendingWork';

/** What is over may begin something else: an answer is drawn, and what is drawn asks. */
const QUIET_MS = 150;

export function markIdle(root: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let none = true;
  // one timer for a whole drag: it looks whether things are quiet, and comes back if not
  const look = (): void => {
    const left = last + QUIET_MS - performance.now();
    timer = none && left > 1 ? setTimeout(look, left) : undefined;
    if (none && timer === undefined)
      // text asks for its font only now; wait again for what began meanwhile, even if it has ended
      document.fonts.ready.then(() =>
        requestAnimationFrame(() => root.toggleAttribute('data-settled', none && timer === undefined)),
      );
  };
  onPendingWork((now) => {
    none = now;
    last = performance.now();
    if (!none) root.removeAttribute('data-settled');
    else timer ??= setTimeout(look, QUIET_MS);
  });
}
