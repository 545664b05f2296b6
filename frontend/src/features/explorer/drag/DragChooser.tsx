// SPDX-License-Identifier: Apache-2.0
// Which parameter moves when a line is pulled: the one that does most there, or one that is named.
import { useSyncExternalStore } from 'react';
import { useExplorer } from '../context';
import { plainSymbol } from './handle';

export function DragChooser() {
  const { view, store } = useExplorer();
  const name = useSyncExternalStore(store.subscribe, () => store.get().pull);
  const able = view.sliders.filter((s) => s.meanings.length === 0);
  if (view.mode !== 'model' || able.length < 2) return null;
  return (
    <p className="note pullwith">
      <label>
        Dragging a line adjusts{' '}
        <select
          value={able.some((s) => s.name === name) ? (name ?? '') : ''}
          onChange={(event) => store.update({ pull: event.currentTarget.value || null })}
        >
          <option value="">what has most effect there</option>
          {able.map((s) => (
            <option key={s.name} value={s.name}>
              {plainSymbol(s) === s.label || `${plainSymbol(s)} `}
              {s.label}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}
