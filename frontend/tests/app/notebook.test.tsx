// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { movedTo } from '../../src/app/notebook/NotebookView';
import type { NotebookFrame } from '../../src/app/notebook/notebook';
import { show } from '../../src/app/notebook/show';
import type { Slider } from '../../src/state/fit';

/** Python's side of a widget, as a notebook hands it over. */
function python(values: Record<string, unknown>) {
  const calls: Record<string, Set<(told: unknown) => void>> = {};
  const saved: Record<string, unknown>[] = [];
  const sent: { id: string; path: string }[] = [];
  const model = {
    get: (name: string) => values[name],
    set: (name: string, value: unknown) => {
      values[name] = value;
    },
    save_changes: () => saved.push({ ...values }),
    on: (event: string, call: (told: never) => void) => {
      calls[event] ??= new Set();
      calls[event].add(call as (told: unknown) => void);
    },
    off: (event: string, call: (told: never) => void) => calls[event]?.delete(call as (told: unknown) => void),
    send: (content: unknown) => sent.push(content as { id: string; path: string }),
  };
  const tell = (event: string, told?: unknown) => {
    for (const call of calls[event] ?? []) call(told);
  };
  return { model, saved, sent, tell };
}

const PARAMETERS = { alpha: 1, beta: 2 };
const DOMAINS = { alpha: [0, null], beta: [0, null] } as const;

function shown(values: Record<string, unknown> = {}) {
  const el = document.createElement('div');
  document.body.replaceChildren(el);
  const side = python({
    _slug: 'x',
    _query: 'measure=m',
    _version: '1',
    parameters: PARAMETERS,
    _domains: {},
    ...values,
  });
  const end = show('<!doctype html><title>frame</title>', { model: side.model, el });
  const frame = el.querySelector('iframe') as NotebookFrame;
  if (!frame.notebook) throw new Error('the frame was given nothing');
  return { ...side, el, end, frame, notebook: frame.notebook };
}

test('a frame is shown that finds the notebook on its element', () => {
  const { frame, notebook } = shown();
  expect(frame.srcdoc).toContain('<title>frame</title>');
  expect(notebook.slug).toBe('x');
  expect(notebook.query).toBe('measure=m');
  notebook.resize(433.2);
  expect(frame.style.height).toBe('434px');
});

test('each question is answered by its own answer, whatever comes between', async () => {
  const { notebook, sent, tell } = shown();
  const [first, second] = [
    notebook.ask({ method: 'GET', path: 'a' }),
    notebook.ask({ method: 'POST', path: 'b', body: { c: 1 } }),
  ];
  expect(sent).toMatchObject([{ path: 'a' }, { path: 'b', body: { c: 1 } }]);
  tell('msg:custom', { id: 'of another view', status: 200, body: 'no' });
  tell('msg:custom', { id: sent[1].id, status: 200, body: 'of b' });
  tell('msg:custom', { id: sent[0].id, status: 404, body: 'of a' });
  expect(await first).toEqual({ status: 404, body: 'of a' });
  expect(await second).toEqual({ status: 200, body: 'of b' });
});

test('what the sliders say is told once', () => {
  const { notebook, saved } = shown();
  notebook.tell({ alpha: 1, beta: 3 }, DOMAINS);
  notebook.tell({ beta: 3, alpha: 1 }, DOMAINS);
  expect(saved).toMatchObject([{ parameters: { alpha: 1, beta: 3 }, _domains: DOMAINS }]);
});

test('what Python sets is heard until the end', () => {
  const { notebook, tell, end, el } = shown();
  const heard = vi.fn();
  const unfollow = notebook.follow(heard);
  tell('change:parameters');
  expect(heard).toHaveBeenCalledTimes(1);
  unfollow();
  tell('change:parameters');
  expect(heard).toHaveBeenCalledTimes(1);
  end();
  expect(el.childElementCount).toBe(0);
});

const slider = (name: string, start: number, domain: readonly [number, number]) => ({ name, start, domain }) as Slider;
const SLIDERS = [slider('alpha', 1, [0, Number.POSITIVE_INFINITY]), slider('share', 0.5, [0, 1])];

test.each([
  ['both', { alpha: 2, share: 0.25 }, {}, { alpha: 2, share: 0.25 }],
  ['back at the start', { alpha: 1, share: 0.5 }, { alpha: 2 }, {}],
  ['one that is not told of stays', { alpha: 2 }, { share: 0.75 }, { alpha: 2, share: 0.75 }],
  ['what it cannot be leaves it', { alpha: -1, share: 2 }, { share: 0.75 }, { share: 0.75 }],
  ['no slider of this model', { delta: 1 }, {}, {}],
])('sliders move to what Python says: %s', (_, given, overrides, moved) => {
  expect(movedTo(SLIDERS, given as Record<string, number>, overrides as Record<string, number>)).toEqual(moved);
});
