// SPDX-License-Identifier: Apache-2.0
// One frame at a time: however many events ask, the latest state is drawn once, before the next paint.

import { begin } from '../state/underWay';

export interface Frames {
  /** Draws in the coming frame. */
  ask(): void;
  stop(): void;
}

/** `measured`: records the time from the first event that asked to the committed frame, as performance measures. */
export function frames(draw: () => void, measured: boolean): Frames {
  let waiting = 0;
  let asked = 0;
  let over = (): void => undefined;
  const committed = new MessageChannel();
  let from = 0;
  let work = 0;
  committed.port1.onmessage = () => {
    // this task runs right after the frame was painted
    performance.measure('drag-to-frame', { start: from, end: performance.now() });
    performance.measure('drag-work', { start: from, end: work });
  };
  const run = (): void => {
    waiting = 0;
    from = asked;
    try {
      draw();
    } finally {
      over();
    }
    if (!measured) return;
    work = performance.now();
    committed.port2.postMessage(null);
  };
  return {
    ask() {
      if (waiting !== 0) return;
      asked = performance.now();
      over = begin();
      waiting = requestAnimationFrame(run);
    },
    stop() {
      cancelAnimationFrame(waiting);
      waiting = 0;
      over();
      committed.port1.close();
    },
  };
}
