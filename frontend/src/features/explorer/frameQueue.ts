// SPDX-License-Identifier: Apache-2.0
// The panel's parts during a drag. Some are written with each frame. The others queue for spare time, one after each frame: nobody reads a number
// that changes sixty times a second, and writing all of them takes as long as the surface.
import type { FrameData } from './figure/live';

/** `dragging`: a slider is being dragged, and more frames are to come. */
export type OnFrame = (live: FrameData, dragging: boolean) => void;

/** Returns whether there was anything to write: if not, the next part is called. */
export type OnSpareTime = (live: FrameData, dragging: boolean) => boolean;

export interface FrameQueue {
  /** Called with each frame. */
  readonly following: Set<OnFrame>;
  /** Called in spare time. */
  readonly parts: Set<OnSpareTime>;
  /** Calls every part. */
  all(live: FrameData): void;
  /** A frame is made: every part has something new to write, and is queued. */
  enqueue(): void;
  /** Calls the parts of each frame, unless they have been called, and the first of the queue; returns whether any is left. */
  next(live: FrameData): boolean;
}

export function createFrameQueue(): FrameQueue {
  const following = new Set<OnFrame>();
  const parts = new Set<OnSpareTime>();
  const owed = new Set<OnSpareTime>();
  let followed = true;
  const follow = (live: FrameData, dragging: boolean): void => {
    followed = true;
    for (const part of following) part(live, dragging);
  };
  return {
    following,
    parts,
    all(live) {
      owed.clear();
      follow(live, false);
      for (const part of parts) part(live, false);
    },
    enqueue() {
      followed = false;
      // a part that waits keeps its place in the queue
      for (const part of parts) owed.add(part);
    },
    next(live) {
      if (!followed) follow(live, true);
      for (const part of owed) {
        owed.delete(part);
        if (parts.has(part) && part(live, true)) break;
      }
      return owed.size > 0;
    },
  };
}
