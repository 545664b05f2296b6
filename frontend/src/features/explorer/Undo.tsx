// SPDX-License-Identifier: Apache-2.0
// Undo and redo, by button and by key.
import { useLayoutEffect, useSyncExternalStore } from 'react';
import { Icon } from '../../components/Icon';
import type { History } from '../../state/history';
import { useExplorer } from './context';

/** Where letters are typed, the field's own undo counts. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && target.type !== 'range') ||
  (target instanceof HTMLElement && target.isContentEditable);

/** Follows the state, the end of each gesture, and Ctrl or ⌘ with Z. */
export function useHistory(history: History): void {
  // with the page, not after: keys are pressed as soon as it is seen
  useLayoutEffect(() => {
    const stop = history.watch();
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) history.redo();
      else history.undo();
    };
    addEventListener('pointerup', history.end);
    addEventListener('pointercancel', history.end);
    addEventListener('keydown', onKey);
    return () => {
      stop();
      removeEventListener('pointerup', history.end);
      removeEventListener('pointercancel', history.end);
      removeEventListener('keydown', onKey);
    };
  }, [history]);
}

export function UndoButtons() {
  const { history } = useExplorer();
  const able = useSyncExternalStore(history.subscribe, () => `${history.canUndo()} ${history.canRedo()}`);
  const [undo, redo] = able.split(' ').map((words) => words === 'true');
  return (
    <div className="undo">
      <button
        type="button"
        className="quiet"
        aria-label="Undo"
        title="Undo (Ctrl+Z)"
        aria-disabled={!undo || undefined}
        onClick={history.undo}
      >
        <Icon name="undo" />
      </button>
      <button
        type="button"
        className="quiet"
        aria-label="Redo"
        title="Redo (Ctrl+Shift+Z)"
        aria-disabled={!redo || undefined}
        onClick={history.redo}
      >
        <Icon name="redo" />
      </button>
    </div>
  );
}
