// SPDX-License-Identifier: Apache-2.0
/// <reference lib="webworker" />
import { loadPyodide, type PyodideAPI } from 'pyodide';
import { fileAddress } from '../api/home';
import type { Reply, Request } from './python';

declare const self: DedicatedWorkerGlobalScope;

const send = (reply: Reply): void => self.postMessage(reply);

type Evaluate = (text: string) => string;

/** What Python remembers: itself started and the models imported, as build/snapshot.ts left it. */
async function memory(): Promise<ArrayBuffer> {
  const answer = await fetch(fileAddress(__PYTHON_MEMORY__));
  if (!answer.ok || !answer.body) throw new Error(`couldn’t load Python’s memory image: ${answer.status}`);
  return new Response(answer.body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

async function boot(): Promise<Evaluate> {
  const from = performance.now();
  const base = fileAddress(__PYODIDE_BASE__);
  const python: PyodideAPI = await loadPyodide({
    indexURL: base,
    // nothing is imported any more: where Python keeps its library, the models' sources do
    stdLibURL: fileAddress(__MODELS_ZIP__),
    lockFileContents: __PYODIDE_LOCK__,
    packageBaseUrl: base,
    _loadSnapshot: memory(),
  });
  const run = python.globals.get('evaluate_checks') as Evaluate;
  send({ kind: 'ready', version: python.version, milliseconds: performance.now() - from });
  return run;
}

// Pyodide fetches its files side by side: when the server is gone each fails, and boot reports the first. The page is told once.
self.addEventListener('unhandledrejection', (event) => event.preventDefault());

const ready = boot();
ready.catch((error: unknown) => send({ kind: 'failed', id: null, message: String(error) }));

self.onmessage = async (event: MessageEvent<Request>) => {
  const { id, checks } = event.data;
  try {
    const run = await ready;
    send({ kind: 'results', id, outputs: JSON.parse(run(JSON.stringify(checks))) });
  } catch (error) {
    send({ kind: 'failed', id, message: String(error) });
  }
};
