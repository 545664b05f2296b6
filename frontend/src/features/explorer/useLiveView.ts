// SPDX-License-Identifier: Apache-2.0
// Keeps the picture up with the state: at most one drawing a frame, whatever moves. Parts that show numbers get what it computed.
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useTheme } from '../../components/theme';
import { frames as frameLoop, spareTime } from '../../engine/frames';
import type { ExplorerState } from '../../state/explorer';
import type { Slices } from '../../state/slice';
import type { Store } from '../../state/store';
import type { View } from '../../state/view';
import type { Live } from './figure/live';
import type { Picture } from './picture';
import { type OnFrame, type Turns, turnsOf } from './turns';

let surfaceDrawn = false;

/** For programs that measure how soon the page is useful. */
function markFirstSurface(): void {
  if (!surfaceDrawn) performance.mark('first-surface');
  surfaceDrawn = true;
}

export interface LiveView {
  readonly picture: RefObject<Picture | null>;
  readonly onPicture: (next: Picture | null) => void;
  readonly frames: Set<OnFrame>;
  readonly afterFrames: Turns['following'];
  readonly turns: Turns['parts'];
  readonly redraw: (atOnce?: boolean) => void;
  /** A pointer has hold of a slider until it lets go: what follows is painted, not written as SVG. */
  readonly hold: () => void;
}

/** `onChange`: after each change of the state. */
export function useLiveView(store: Store<ExplorerState>, view: View, slices: Slices, onChange: () => void): LiveView {
  const picture = useRef<Picture | null>(null);
  const [frames] = useState(() => new Set<OnFrame>());
  const [turns] = useState(turnsOf);
  const shown = useRef({ view, slices, onChange });
  shown.current = { view, slices, onChange };
  const loop = useRef<ReturnType<typeof frameLoop> | null>(null);
  /** Something changed since the last drawing. */
  const stale = useRef(true);
  const redraw = useCallback((atOnce = false) => {
    stale.current = true;
    if (atOnce) loop.current?.now();
    else loop.current?.ask();
  }, []);
  const held = useRef<AbortController | null>(null);
  const hold = useCallback(() => {
    held.current?.abort();
    const hand = new AbortController();
    held.current = hand;
    const letGo = () => {
      hand.abort();
      redraw();
    };
    for (const end of ['pointerup', 'pointercancel', 'blur']) addEventListener(end, letGo, { signal: hand.signal });
    // the canvases are made before the hand has moved: the frame of its first movement need not wait for that
    stale.current = true;
    loop.current?.now();
  }, [redraw]);
  const onPicture = useCallback(
    (next: Picture | null) => {
      picture.current = next;
      redraw();
    },
    [redraw],
  );
  useLayoutEffect(() => {
    let live: Live | null = null;
    const drawAll = (inHand: boolean): void => {
      const now = shown.current;
      live = picture.current?.render(now.view, store.get(), now.slices, inHand) ?? null;
      if (!live) return;
      for (const call of frames) call(live, inHand);
      if (inHand) turns.owe();
      else turns.all(live);
      if (live.z) markFirstSurface();
    };
    const inHand = () => held.current?.signal.aborted === false;
    // what the hand does not wait for
    const spare = spareTime(() => {
      if (live && inHand() && turns.next(live)) loop.current?.ask();
    });
    loop.current = frameLoop(() => {
      if (stale.current) {
        stale.current = false;
        drawAll(inHand());
      }
      if (inHand()) spare.ask();
    });
    const stop = store.subscribe(() => {
      redraw();
      shown.current.onChange();
    });
    return () => {
      stop();
      held.current?.abort();
      spare.stop();
      loop.current?.stop();
      loop.current = null;
    };
  }, [store, frames, turns, redraw]);
  const theme = useTheme();
  // A new view or theme is a new drawing, painted with what React made of it: the page is not shown without.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the line above says
  useLayoutEffect(() => {
    stale.current = true;
    loop.current?.now();
  }, [view, theme, store]);
  return { picture, onPicture, frames, afterFrames: turns.following, turns: turns.parts, redraw, hold };
}
