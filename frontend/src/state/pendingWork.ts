// SPDX-License-Identifier: Apache-2.0
// What the page still has under way before it shows all that its address says: answers, parts of its code, a frame that was asked for, a value that
// waits until it stands still. Python, which only checks what is drawn, is none of it.

let count = 0;
let tell: (none: boolean) => void = () => undefined;

/** Something begins; call what it returns, once, when it is over. */
export function startWork(): () => void {
  let over = false;
  count += 1;
  if (count === 1) tell(false);
  return () => {
    if (over) return;
    over = true;
    count -= 1;
    if (count === 0) tell(true);
  };
}

/** Tells `listener` when the first thing begins and when the last one is over, and the present state at once. */
export function onPendingWork(listener: (none: boolean) => void): void {
  tell = listener;
  tell(count === 0);
}
