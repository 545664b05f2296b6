// SPDX-License-Identifier: Apache-2.0
// One frame at a time: however many events ask, the latest state is drawn once, before the next paint.

import { startWork } from '../state/pendingWork';

export interface Frames {
  /** Draws in the coming frame. */
  ask(): void;
  /** Draws at once, and not again in the coming frame. */
  now(): void;
  stop(): void;
}

export function frames(draw: () => void): Frames {
  let waiting = 0;
  let over = (): void => undefined;
  const run = (): void => {
    waiting = 0;
    // the drawing may ask for the next frame
    const drawn = over;
    try {
      draw();
    } finally {
      drawn();
    }
  };
  const stop = (): void => {
    cancelAnimationFrame(waiting);
    waiting = 0;
    over();
  };
  return {
    ask() {
      if (waiting !== 0) return;
      over = startWork();
      waiting = requestAnimationFrame(run);
    },
    now() {
      stop();
      draw();
    },
    stop,
  };
}

interface SpareTime {
  /** Within a frame: to work once it is made, in what it leaves of its time. */
  ask(): void;
  stop(): void;
}

/** What `work` changes on the page is laid out with it, so that the next frame need not. */
export function spareTime(work: () => void): SpareTime {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let over = (): void => undefined;
  const stop = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    over();
  };
  const run = (): void => {
    waiting = undefined;
    const done = over;
    try {
      work();
      document.documentElement.getBoundingClientRect();
    } finally {
      done();
    }
  };
  return {
    ask() {
      if (waiting !== undefined) return;
      over = startWork();
      waiting = setTimeout(run);
    },
    stop,
  };
}
