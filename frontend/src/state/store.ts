// SPDX-License-Identifier: Apache-2.0
// The explorer's state outside React: layers follow it frame by frame, components choose what they follow.

export interface Store<T> {
  get(): T;
  set(next: T): void;
  update(change: Partial<T>): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T extends object>(initial: T): Store<T> {
  let state = initial;
  const listeners = new Set<() => void>();
  const set = (next: T): void => {
    if (next === state) return;
    state = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => state,
    set,
    update: (change) => set({ ...state, ...change }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
