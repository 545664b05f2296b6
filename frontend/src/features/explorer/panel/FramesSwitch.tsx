// SPDX-License-Identifier: Apache-2.0

import { useMemo, useRef } from 'react';
import { Segmented } from '../../../components/Segmented';
import { write } from '../../../layers/messages';
import { decimal } from '../../../plots/number';
import { useExplorer, useSpareTime } from '../context';
import { comparisonOf, residual } from '../figure/residuals';

/** The paper takes every packet as full; the cells counted shorter ones. */
export function FramesSwitch() {
  const { view, store } = useExplorer();
  const note = useRef<HTMLSpanElement>(null);
  const { frames } = store.get();
  const { binding } = view;
  const full = useMemo(() => (frames === 'full' ? comparisonOf(view, 'full') : null), [frames, view]);
  useSpareTime((live) => {
    const host = note.current;
    if (!host) return false;
    const fill = live.place.prediction?.inputs.packet_fill;
    let words = fill === undefined ? '' : `= ${decimal(fill, 2)}: frames as counted`;
    if (full) {
      const predictions = full.predictions(live.theta);
      const low = view.points.map((p, i) => residual(p, predictions[i])).filter(Number.isFinite);
      if (low.length > 0)
        words = `= 1: reads ${decimal(Math.min(...low), 0)} to ${decimal(Math.max(...low), 0)} % low here`;
    }
    return write(host, words);
  });
  if (!binding?.takesFrames) return null;
  return (
    <div className="row frames">
      <span className="note">
        <var>φ</var> <span ref={note} />
      </span>
      <Segmented
        tiny
        label="Frames"
        value={frames}
        segments={[
          { value: 'counted', label: 'counted' },
          { value: 'full', label: 'full' },
        ]}
        onChange={(next) => store.update({ frames: next })}
      />
    </div>
  );
}
