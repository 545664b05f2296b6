// SPDX-License-Identifier: Apache-2.0
// Keeps the picture up with the state: at most one drawing a frame, whatever moves. Parts that show numbers get what it computed.
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useTheme } from '../../components/theme';
import { frames as frameLoop, spareTime } from '../../engine/frames';
import type { DataSlices } from '../../state/dataSlice';
import type { ExplorerState } from '../../state/explorer';
import type { Store } from '../../state/store';
import type { View } from '../../state/view';
import type { ChartRenderer } from './chartRenderer';
import type { FrameData } from './figure/live';
import { createFrameQueue, type FrameQueue, type OnFrame } from './frameQueue';

let surfaceDrawn = false;

/** For programs that measure how soon the page is useful. */
function markFirstSurface(): void {
  if (!surfaceDrawn) performance.mark('first-surface');
  surfaceDrawn = true;
}

interface LiveView {
  readonly picture: RefObject<ChartRenderer | null>;
  readonly onPicture: (next: ChartRenderer | null) => void;
  readonly frames: Set<OnFrame>;
  readonly afterFrames: FrameQueue['following'];
  readonly spare: FrameQueue['parts'];
  readonly redraw: (atOnce?: boolean) => void;
  /** From here to the pointer's release a slider is being dragged: frames are painted, not written as SVG. */
  readonly beginDrag: () => void;
}

/** `onChange`: after each change of the state. */
export function useLiveView(
  store: Store<ExplorerState>,
  view: View,
  slices: DataSlices,
  onChange: () => void,
): LiveView {
  const picture = useRef<ChartRenderer | null>(null);
  const [frames] = useState(() => new Set<OnFrame>());
  const [queue] = useState(createFrameQueue);
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
  const dragging = useRef<AbortController | null>(null);
  const beginDrag = useCallback(() => {
    dragging.current?.abort();
    const hand = new AbortController();
    dragging.current = hand;
    const endDrag = () => {
      hand.abort();
      redraw();
    };
    for (const end of ['pointerup', 'pointercancel', 'blur']) addEventListener(end, endDrag, { signal: hand.signal });
    // the canvases are made before the pointer has moved: the frame of its first movement need not wait for that
    stale.current = true;
    loop.current?.now();
  }, [redraw]);
  const onPicture = useCallback(
    (next: ChartRenderer | null) => {
      picture.current = next;
      redraw();
    },
    [redraw],
  );
  useLayoutEffect(() => {
    let live: FrameData | null = null;
    const drawAll = (isDragging: boolean): void => {
      const now = shown.current;
      live = picture.current?.render(now.view, store.get(), now.slices, isDragging) ?? null;
      if (!live) return;
      for (const call of frames) call(live, isDragging);
      if (isDragging) queue.enqueue();
      else queue.all(live);
      if (live.z) markFirstSurface();
    };
    const isDragging = () => dragging.current?.signal.aborted === false;
    // what a drag does not wait for
    const spare = spareTime(() => {
      if (live && isDragging() && queue.next(live)) loop.current?.ask();
    });
    loop.current = frameLoop(() => {
      if (stale.current) {
        stale.current = false;
        drawAll(isDragging());
      }
      if (isDragging()) spare.ask();
    });
    const stop = store.subscribe(() => {
      redraw();
      shown.current.onChange();
    });
    return () => {
      stop();
      dragging.current?.abort();
      spare.stop();
      loop.current?.stop();
      loop.current = null;
    };
  }, [store, frames, queue, redraw]);
  const theme = useTheme();
  // A new view or theme is a new drawing, painted with what React made of it: the page is not shown without.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the line above says
  useLayoutEffect(() => {
    stale.current = true;
    loop.current?.now();
  }, [view, theme, store]);
  return {
    picture,
    onPicture,
    frames,
    afterFrames: queue.following,
    spare: queue.parts,
    redraw,
    beginDrag,
  };
}
