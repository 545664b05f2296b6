// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { slicesOf } from '../../src/state/dataSlice';
import { stateFor } from '../../src/state/explorer';
import { createHistory } from '../../src/state/history';
import { createStore } from '../../src/state/store';
import { schemaOf } from '../../src/state/viewSchema';
import { nfs } from '../published';

const schema = schemaOf(nfs(), slicesOf(nfs(), catalogue));

function opened() {
  const store = createStore(stateFor(schema, schema.defaults));
  let time = 0;
  const history = createHistory(store, () => time);
  history.watch();
  return { store, history, wait: (ms: number) => (time += ms) };
}

describe('undo', () => {
  it('takes back a whole gesture, and redo brings it again', () => {
    const { store, history } = opened();
    const start = store.get();
    history.begin();
    for (const alpha of [0.8, 0.9, 1]) store.update({ overrides: { alpha } });
    history.end();
    history.undo();
    expect(store.get()).toEqual(start);
    expect(history.canUndo()).toBe(false);
    history.redo();
    expect(store.get().overrides).toEqual({ alpha: 1 });
    expect(history.canRedo()).toBe(false);
  });

  it('keeps the place at which the crosshair came to rest, not those it passed', () => {
    const { store, history } = opened();
    const start = store.get().x;
    history.begin();
    for (const x of [10, 20, 40]) store.update({ x });
    history.end();
    history.begin();
    store.update({ x: 80 });
    history.end();
    history.undo();
    expect(store.get().x).toBe(40);
    history.undo();
    expect(store.get().x).toBe(start);
  });

  it('takes a run of keys on one slider as one step, and a pause or another slider as the next', () => {
    const { store, history, wait } = opened();
    store.update({ overrides: { alpha: 0.8 } });
    wait(100);
    store.update({ overrides: { alpha: 0.7 } });
    wait(100);
    store.update({ overrides: { alpha: 0.7, beta: 0.3 } });
    wait(2000);
    store.update({ overrides: { alpha: 0.7, beta: 0.4 } });
    history.undo();
    expect(store.get().overrides).toEqual({ alpha: 0.7, beta: 0.3 });
    history.undo();
    expect(store.get().overrides).toEqual({ alpha: 0.7 });
    history.undo();
    expect(store.get().overrides).toEqual({});
  });

  it('takes each choice by itself, however fast they follow', () => {
    const { store, history } = opened();
    store.update({ method: 'ols' });
    store.update({ surface: 'cells' });
    history.undo();
    expect(store.get()).toMatchObject({ method: 'ols', surface: 'model' });
  });

  it('forgets what was undone once something new is done', () => {
    const { store, history } = opened();
    store.update({ method: 'ols' });
    history.undo();
    store.update({ surface: 'cells' });
    expect(history.canRedo()).toBe(false);
  });

  it('does nothing where nothing changed, or in the middle of a gesture', () => {
    const { store, history } = opened();
    history.begin();
    history.end();
    store.set({ ...store.get() });
    expect(history.canUndo()).toBe(false);
    store.update({ method: 'ols' });
    history.begin();
    store.update({ x: 40 });
    history.undo();
    expect(store.get()).toMatchObject({ method: 'ols', x: 40 });
  });
});

it('asks what a remembered state means now', () => {
  const store = createStore(stateFor(schema, schema.defaults));
  const history = createHistory(
    store,
    () => 0,
    (state) => ({ ...state, x: 7 }),
  );
  history.watch();
  store.update({ method: 'ols' });
  history.undo();
  expect(store.get()).toMatchObject({ method: 'paper-tls', x: 7 });
});
