// SPDX-License-Identifier: Apache-2.0
// What the explorer's parts share. A part that follows the pointer registers for frames and writes into its own elements; the rest are
// plain components that render when the view changes.

import { createContext, useCallback, useContext, useLayoutEffect, useRef } from 'react';
import { followPaper, sizeOnPaper } from '../../layers/paper';
import type { DataSlices } from '../../state/dataSlice';
import type { ExplorerState, ViewSchema } from '../../state/explorer';
import type { History } from '../../state/history';
import type { Store } from '../../state/store';
import type { Subject } from '../../state/subject';
import type { View } from '../../state/view';
import type { FrameData } from './figure/live';
import type { OnFrame, OnSpareTime } from './frameQueue';

export interface Explorer {
  readonly subject: Subject;
  readonly store: Store<ExplorerState>;
  readonly schema: ViewSchema;
  readonly slices: DataSlices;
  readonly view: View;
  readonly frames: Set<OnFrame>;
  readonly afterFrames: Set<OnFrame>;
  readonly spare: Set<OnSpareTime>;
  /** Draw again although no state changed: a part has a new size. `atOnce`: no frame comes before it is seen, as on paper. */
  redraw(atOnce?: boolean): void;
  /** A pointer begins to drag a slider. */
  beginDrag(): void;
  readonly history: History;
  /** A value has come to rest: rulers that it lies beyond grow. */
  settleRulers(): void;
  /** Every slider back to the fit. */
  toFit(): void;
}

export const ExplorerContext = createContext<Explorer | null>(null);

export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext);
  if (!explorer) throw new Error('a part of the explorer stands outside of it');
  return explorer;
}

function useCalled<R>(
  calls: Set<(live: FrameData, dragging: boolean) => R>,
  call: (live: FrameData, dragging: boolean) => R,
): void {
  const { redraw } = useExplorer();
  const latest = useRef(call);
  latest.current = call;
  useLayoutEffect(() => {
    const now = (live: FrameData, dragging: boolean): R => latest.current(live, dragging);
    calls.add(now);
    redraw();
    return () => {
      calls.delete(now);
    };
  }, [calls, redraw]);
}

/** Calls `onFrame` in every frame, and once when it or the view changes; the first time before the page is painted. */
export const useFrame = (onFrame: OnFrame): void => useCalled(useExplorer().frames, onFrame);

/** The same, but during a drag after the frame, in the time that it leaves: for what may come with the next one. */
export const useAfterFrame = (onFrame: OnFrame): void => useCalled(useExplorer().afterFrames, onFrame);

/** The same, but during a drag only in spare time (frameQueue.ts): for what is read once the drag ends. */
export const useSpareTime = (onSpareTime: OnSpareTime): void => useCalled(useExplorer().spare, onSpareTime);

export interface Sized<T extends Element> {
  /** The element's `ref`. */
  readonly attach: (element: T | null) => (() => void) | undefined;
  readonly element: { current: T | null };
  readonly width: { current: number };
  /** Scrolled out of sight, and not on its way to paper: nobody sees what a frame would draw. */
  readonly hidden: { current: boolean };
}

/** A drawing and its width in its own pixels, kept by an observer: to ask in a frame would make the browser lay out the page once more. */
export function useSized<T extends Element>(): Sized<T> {
  const { redraw } = useExplorer();
  const element = useRef<T | null>(null);
  const width = useRef(0);
  const hidden = useRef(false);
  const attach = useCallback(
    (next: T | null) => {
      element.current = next;
      if (!next) return;
      width.current = next.clientWidth;
      const observer = new ResizeObserver(() => {
        if (next.clientWidth === width.current) return;
        width.current = next.clientWidth;
        redraw();
      });
      observer.observe(next);
      const sight = new IntersectionObserver((seen) => {
        const before = hidden.current;
        // a busy page hears of several changes at once: the last one holds
        hidden.current = !seen[seen.length - 1].isIntersecting;
        if (before && !hidden.current) redraw();
      });
      sight.observe(next);
      const onPaper = () => {
        hidden.current = false;
        width.current = sizeOnPaper(next, '--paper-width') ?? width.current;
        redraw(true);
      };
      const offPaper = () => {
        width.current = next.clientWidth;
        redraw();
        // out of sight again it may be, which only a new observation tells
        sight.unobserve(next);
        sight.observe(next);
      };
      const unfollow = followPaper(onPaper, offPaper);
      return () => {
        unfollow();
        observer.disconnect();
        sight.disconnect();
        element.current = null;
      };
    },
    [redraw],
  );
  return { attach, element, width, hidden };
}
