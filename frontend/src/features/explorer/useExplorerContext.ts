// SPDX-License-Identifier: Apache-2.0
// What the parts of an explorer share, around a store and its view: of the explorer's page and of the workshop's model.
import { type RefObject, useMemo, useState } from 'react';
import type { ExplorerState } from '../../state/explorer';
import { createHistory } from '../../state/history';
import type { ChartRenderer } from './chartRenderer';
import type { Explorer } from './context';
import { useLiveView } from './useLiveView';

interface Around extends Pick<Explorer, 'subject' | 'store' | 'schema' | 'slices' | 'view'> {
  /** After each change of the state. */
  onChange(): void;
  /** A value has come to rest beyond its ruler: the view is made anew, and its rulers with it. */
  remakeView(): void;
  /** What is left of a state that is gone back to. */
  judge?(state: ExplorerState): ExplorerState;
}

interface InExplorer {
  readonly context: Explorer;
  readonly picture: RefObject<ChartRenderer | null>;
  readonly onPicture: (next: ChartRenderer | null) => void;
}

/** `remakeView` is a state's setter, or something else that stays the same. */
export function useExplorerContext({ onChange, remakeView, judge, ...around }: Around): InExplorer {
  const { subject, store, schema, slices, view } = around;
  const { picture, onPicture, frames, afterFrames, spare, redraw, beginDrag } = useLiveView(
    store,
    view,
    slices,
    onChange,
  );
  const [history] = useState(() => createHistory(store, () => performance.now(), judge));
  const context = useMemo<Explorer>(
    () => ({
      subject,
      store,
      schema,
      slices,
      view,
      frames,
      afterFrames,
      spare,
      redraw,
      beginDrag,
      history,
      settleRulers() {
        const { overrides } = store.get();
        if (view.sliders.some((s) => overrides[s.name] < s.lo || overrides[s.name] > s.hi)) remakeView();
      },
      toFit() {
        if (Object.keys(store.get().overrides).length > 0) store.update({ overrides: {} });
      },
    }),
    [subject, store, schema, slices, view, frames, afterFrames, spare, redraw, beginDrag, history, remakeView],
  );
  return { context, picture, onPicture };
}
