// SPDX-License-Identifier: Apache-2.0
// One frame at a time: however many events ask, the latest state is drawn once, before the next paint.

import { begin } from '../state/underWay';

export interface Frames {
  /** Draws in the coming frame. */
  ask(): void;
  stop(): void;
}

export function frames(draw: () => void): Frames {
  let waiting = 0;
  let over = (): void => undefined;
  const run = (): void => {
    waiting = 0;
    try {
      draw();
    } finally {
      over();
    }
  };
  return {
    ask() {
      if (waiting !== 0) return;
      over = begin();
      waiting = requestAnimationFrame(run);
    },
    stop() {
      cancelAnimationFrame(waiting);
      waiting = 0;
      over();
    },
  };
}
