// SPDX-License-Identifier: Apache-2.0
// Undo and redo over the whole state. A step is what one gesture changed: everything between the press and the release of a pointer, or a
// run of keys on the same value.
import type { ExplorerState } from './explorer';
import type { Store } from './store';

export interface History {
  /** A pointer went down: what follows is one step, until `end`. */
  begin(): void;
  end(): void;
  undo(): void;
  redo(): void;
  canUndo(): boolean;
  canRedo(): boolean;
  /** Calls back when one of the two above changes. */
  subscribe(listener: () => void): () => void;
  /** Follows the store; returns how to stop. */
  watch(): () => void;
}

const STEPS = 200;
/** Keys that follow each other so fast are one run. */
const RUN_MS = 1000;

/** Values that move by small amounts, by name: a run of such changes is one step. Null: something else changed too. */
function moved(a: ExplorerState, b: ExplorerState): string | null {
  const names: string[] = [];
  for (const key of Object.keys(b) as (keyof ExplorerState)[]) {
    if (a[key] === b[key]) continue;
    if (key === 'x' || key === 'y' || key === 'turn') names.push(key);
    else if (key === 'overrides') {
      const sliders = new Set([...Object.keys(a.overrides), ...Object.keys(b.overrides)]);
      for (const name of sliders) if (a.overrides[name] !== b.overrides[name]) names.push(`slider ${name}`);
    } else return null;
  }
  return names.sort().join(' ');
}

const same = (a: ExplorerState, b: ExplorerState): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** `judge`: what a remembered state means now, because cells may have come or gone since. */
export function createHistory(
  store: Store<ExplorerState>,
  now: () => number,
  judge: (state: ExplorerState) => ExplorerState = (state) => state,
): History {
  let past: ExplorerState[] = [];
  let future: ExplorerState[] = [];
  let settled = store.get();
  let gesture = false;
  let travelling = false;
  let run: { what: string; until: number } | null = null;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };

  function keep(from: ExplorerState): void {
    past = [...past.slice(-(STEPS - 1)), from];
    future = [];
    tell();
  }

  /** The state as it is becomes the one that the next step starts from. */
  function settle(): void {
    const next = store.get();
    if (same(settled, next)) {
      settled = next;
      return;
    }
    const what = gesture ? null : moved(settled, next);
    const time = now();
    const goesOn = what !== null && run !== null && run.what === what && time < run.until && past.length > 0;
    run = what === null ? null : { what, until: time + RUN_MS };
    const from = settled;
    settled = next;
    if (!goesOn) keep(from);
  }

  function travel(from: ExplorerState[], to: ExplorerState[]): void {
    const target = from.pop();
    if (!target) return;
    to.push(store.get());
    travelling = true;
    store.set(judge(target));
    travelling = false;
    settled = store.get();
    run = null;
    tell();
  }

  return {
    begin() {
      if (gesture) return;
      settle();
      gesture = true;
    },
    end() {
      if (!gesture) return;
      settle();
      gesture = false;
    },
    undo() {
      if (!gesture) travel(past, future);
    },
    redo() {
      if (!gesture) travel(future, past);
    },
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch: () =>
      store.subscribe(() => {
        if (!gesture && !travelling) settle();
      }),
  };
}
