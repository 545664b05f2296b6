// SPDX-License-Identifier: Apache-2.0
// While a slider is in hand: what is written once a frame is made. Some parts follow each frame; the others have turns, one after each frame: nobody
// reads a number that changes sixty times a second, and all of them together take as long as the surface.
import type { Live } from './figure/live';

/** `held`: a slider is in hand, and more frames are to come. */
export type OnFrame = (live: Live, held: boolean) => void;

/** Returns whether there was anything to write: if not, its turn goes to the next. */
export type InTurn = (live: Live, held: boolean) => boolean;

export interface Turns {
  /** Those that follow each frame. */
  readonly following: Set<OnFrame>;
  /** Those that have turns. */
  readonly parts: Set<InTurn>;
  /** Every part at once. */
  all(live: Live): void;
  /** A frame is made: there is something new to write, and each part has its turn once more. */
  owe(): void;
  /** Those that follow the frame, unless they have, and the one whose turn it is; returns whether any is left. */
  next(live: Live): boolean;
}

export function turnsOf(): Turns {
  const following = new Set<OnFrame>();
  const parts = new Set<InTurn>();
  const owed = new Set<InTurn>();
  let followed = true;
  const follow = (live: Live, held: boolean): void => {
    followed = true;
    for (const part of following) part(live, held);
  };
  return {
    following,
    parts,
    all(live) {
      owed.clear();
      follow(live, false);
      for (const part of parts) part(live, false);
    },
    owe() {
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
