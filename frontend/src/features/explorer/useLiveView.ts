// SPDX-License-Identifier: Apache-2.0
// The picture kept up with the state: at most one drawing a frame, whatever moves, and what it computed for whoever shows it.
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { useTheme } from '../../components/theme';
import { frames as frameLoop } from '../../engine/frames';
import type { ExplorerState } from '../../state/explorer';
import type { Store } from '../../state/store';
import type { Slices, View } from '../../state/view';
import type { OnFrame } from './context';
import type { Picture } from './picture';

export interface LiveView {
  readonly picture: RefObject<Picture | null>;
  readonly onPicture: (next: Picture | null) => void;
  readonly frames: Set<OnFrame>;
  readonly redraw: () => void;
  /** A pointer has hold of a slider until it lets go: what follows is painted, not written as SVG. */
  readonly hold: () => void;
}

/** `onChange`: after each change of the state. */
export function useLiveView(store: Store<ExplorerState>, view: View, slices: Slices, onChange: () => void): LiveView {
  const picture = useRef<Picture | null>(null);
  const listeners = useRef(new Set<OnFrame>());
  const shown = useRef({ view, slices, onChange });
  shown.current = { view, slices, onChange };
  const loop = useRef<ReturnType<typeof frameLoop> | null>(null);
  const redraw = useCallback(() => loop.current?.ask(), []);
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
  }, [redraw]);
  const onPicture = useCallback((next: Picture | null) => {
    picture.current = next;
    loop.current?.ask();
  }, []);
  useEffect(() => {
    loop.current = frameLoop(() => {
      const now = shown.current;
      const inHand = held.current?.signal.aborted === false;
      const live = picture.current?.render(now.view, store.get(), now.slices, inHand);
      if (live) for (const call of listeners.current) call(live, inHand);
    });
    const stop = store.subscribe(() => {
      loop.current?.ask();
      shown.current.onChange();
    });
    loop.current.ask();
    return () => {
      stop();
      held.current?.abort();
      loop.current?.stop();
      loop.current = null;
    };
  }, [store]);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view or theme is a new drawing
  useEffect(redraw, [view, theme, redraw]);
  return { picture, onPicture, frames: listeners.current, redraw, hold };
}
