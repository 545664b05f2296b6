// SPDX-License-Identifier: Apache-2.0
/// <reference lib="webworker" />
import { loadPyodide, type PyodideAPI } from 'pyodide';
import { fileAddress } from '../api/home';
import type { Reply, Request } from './python';

declare const self: DedicatedWorkerGlobalScope;

const send = (reply: Reply): void => self.postMessage(reply);

const PROGRAM = `
import json, sys
sys.path.insert(0, "/models.zip")
from coalescope_models.catalogue import MODELS, evaluate

def evaluate_checks(text):
    return json.dumps([evaluate(MODELS[c["model"]], c["values"]) for c in json.loads(text)])

evaluate_checks
`;

type Evaluate = (text: string) => string;

async function boot(): Promise<Evaluate> {
  const from = performance.now();
  const base = fileAddress(__PYODIDE_BASE__);
  const models = fetch(fileAddress(__MODELS_ZIP__)).then((r) => {
    if (!r.ok) throw new Error(`the models' sources did not arrive: ${r.status}`);
    return r.arrayBuffer();
  });
  const python: PyodideAPI = await loadPyodide({ indexURL: base, stdLibURL: `${base}stdlib.zip` });
  python.FS.writeFile('/models.zip', new Uint8Array(await models));
  const run = python.runPython(PROGRAM) as Evaluate;
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
