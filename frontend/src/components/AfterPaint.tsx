// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, startTransition, useEffect, useState } from 'react';
import { startWork } from '../state/pendingWork';

/** The page has painted what it was opened for. */
let opened = false;

/** Turns true when what stands beside it is on the screen: the frame after its own says so. */
function usePainted(already: boolean): boolean {
  const [painted, setPainted] = useState(already);
  useEffect(() => {
    if (painted) return;
    const done = startWork();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        timer = setTimeout(() => {
          opened = true;
          startTransition(() => setPainted(true));
        }, 0);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      done();
    };
  }, [painted]);
  return painted;
}

/**
 * What nobody sees yet: in a closed fold, or for a screen reader. It comes when what is seen has been painted, so that it does not
 * delay the page.
 */
export function AfterPaint({ children }: { children: ReactNode }) {
  return usePainted(false) ? children : null;
}

/** Whether the page has painted its first picture: what is seen beside it, but is not what a page is opened for, waits until then. */
export const useFirstPainted = (): boolean => usePainted(opened);

/** What waits for the first picture. When the page stands already, or with `now`, it comes at once. */
export function AfterFirstPaint({ children, now = false }: { children: ReactNode; now?: boolean }) {
  return useFirstPainted() || now ? children : null;
}
