// SPDX-License-Identifier: Apache-2.0
// The models' own Python, in a worker behind the kernels. It is loaded after the first paint; when it fails, the page says so and goes on.
import type { Reference } from '../state/models';

export interface Check {
  readonly model: string;
  readonly values: Readonly<Record<string, number>>;
}

export type Request = { readonly kind: 'evaluate'; readonly id: number; readonly checks: readonly Check[] };
export type Reply =
  | { readonly kind: 'ready'; readonly version: string; readonly milliseconds: number }
  | { readonly kind: 'results'; readonly id: number; readonly outputs: readonly Reference['outputs'][] }
  | { readonly kind: 'failed'; readonly id: number | null; readonly message: string };

export type Python =
  | { readonly state: 'waiting' }
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly version: string; readonly milliseconds: number }
  | { readonly state: 'failed'; readonly message: string };

let status: Python = { state: 'waiting' };
let worker: Worker | null = null;
let sequence = 0;
const listeners = new Set<() => void>();
const waiting = new Map<
  number,
  { resolve: (outputs: readonly Reference['outputs'][]) => void; reject: (error: Error) => void }
>();

function become(next: Python): void {
  status = next;
  for (const tell of listeners) tell();
}

function fail(message: string): void {
  become({ state: 'failed', message });
  for (const { reject } of waiting.values()) reject(new Error(message));
  waiting.clear();
  worker?.terminate();
  worker = null;
}

function receive(reply: Reply): void {
  if (reply.kind === 'ready') {
    performance.mark('python-ready');
    become({ state: 'ready', version: reply.version, milliseconds: reply.milliseconds });
  } else if (reply.kind === 'results') {
    waiting.get(reply.id)?.resolve(reply.outputs);
    waiting.delete(reply.id);
  } else if (reply.id === null) fail(reply.message);
  else {
    waiting.get(reply.id)?.reject(new Error(reply.message));
    waiting.delete(reply.id);
  }
}

function start(): void {
  become({ state: 'loading' });
  try {
    worker = new Worker(new URL('./python.worker.ts', import.meta.url), { type: 'module', name: 'python' });
  } catch (error) {
    fail(String(error));
    return;
  }
  worker.onmessage = (event: MessageEvent<Reply>) => receive(event.data);
  worker.onerror = (event) => fail(event.message || 'the worker did not start');
}

/** Loads Python once the page has painted and has nothing better to do. */
export function startPython(): void {
  if (status.state !== 'waiting') return;
  status = { state: 'loading' };
  const later = () => setTimeout(start, 0);
  // two frames: the first surface is on the screen
  requestAnimationFrame(() => requestAnimationFrame(later));
}

export const python = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  status: (): Python => status,
};

/** The models' outputs by Python itself. */
export function evaluateInPython(checks: readonly Check[]): Promise<readonly Reference['outputs'][]> {
  const to = worker;
  if (!to) return Promise.reject(new Error('Python is not ready'));
  const id = ++sequence;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    to.postMessage({ kind: 'evaluate', id, checks } satisfies Request);
  });
}
