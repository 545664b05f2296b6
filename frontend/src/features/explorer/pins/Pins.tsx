// SPDX-License-Identifier: Apache-2.0
// Parameter sets beside each other: pinned, named, compared, loaded again.

import { useSyncExternalStore } from 'react';
import { thetaOf } from '../../../state/fit';
import { freeName, MOST_PINS, type Pin, short, suits } from '../../../state/pins';
import { useExplorer } from '../context';
import { PinnedSets } from '../panel/parts';

export function Pins() {
  const { view, store } = useExplorer();
  const all = useSyncExternalStore(store.subscribe, () => store.get().pins);
  const pins = all.filter((pin) => suits(pin, view.sliders));
  if (view.mode !== 'model' || view.sliders.length === 0) return null;
  const replace = (pin: Pin, by: Pin | null): void =>
    store.update({ pins: all.flatMap((p) => (p === pin ? (by ? [by] : []) : [p])) });
  const add = (): void => {
    const { overrides } = store.get();
    const values = Object.fromEntries(
      Object.entries(thetaOf(view.sliders, overrides)).map(([name, value]) => [name, short(value)]),
    );
    const start = Object.keys(overrides).length > 0 ? 'Edited' : view.fit ? 'Fit' : 'Start';
    store.update({ pins: [...pins, { name: freeName(pins, start), values }] });
  };
  return (
    <div className="block pins">
      <header className="row">
        <h3 className="cap">
          Pinned <small>{pins.length > 0 ? `${pins.length} of ${MOST_PINS}` : 'sets to compare with'}</small>
        </h3>
        <button type="button" className="quiet small boxed" disabled={pins.length >= MOST_PINS} onClick={add}>
          Pin these
        </button>
      </header>
      {pins.length > 0 && <PinnedSets pins={pins} replace={replace} />}
    </div>
  );
}
