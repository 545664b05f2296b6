// SPDX-License-Identifier: Apache-2.0
/// <reference lib="webworker" />
// The run log codec's own Python, for logs that are opened and not uploaded.
import { loadPyodide, type PyodideAPI } from 'pyodide';
import { fileAddress } from '../api/home';
import type { Opened, OpenReply, OpenRequest } from './runLog';

declare const self: DedicatedWorkerGlobalScope;

const PROGRAM = `
import json, sys
sys.path.insert(0, "/run_log.zip")
from coalescope_host import run_log

def open_log(content, name, points):
    data = content.to_bytes()
    report = run_log.check(data, name).to_json()
    log, _ = run_log.scan(data)
    shown = None if log is None else run_log.contents(log, points)
    return json.dumps({"report": report, "contents": shown})

open_log
`;

type Open = (content: Uint8Array, name: string, points: number) => string;

async function boot(): Promise<Open> {
  const base = fileAddress(__PYODIDE_BASE__);
  const codec = fetch(fileAddress(__RUN_LOG_ZIP__)).then((r) => {
    if (!r.ok) throw new Error(`the codec did not arrive: ${r.status}`);
    return r.arrayBuffer();
  });
  const python: PyodideAPI = await loadPyodide({ indexURL: base, stdLibURL: `${base}stdlib.zip` });
  python.FS.writeFile('/run_log.zip', new Uint8Array(await codec));
  return python.runPython(PROGRAM) as Open;
}

// Pyodide fetches its files side by side: when the server is gone each fails, and boot reports the first. The page is told once.
self.addEventListener('unhandledrejection', (event) => event.preventDefault());

const ready = boot();
ready.catch(() => undefined);

self.onmessage = async ({ data: { id, content, name, points } }: MessageEvent<OpenRequest>) => {
  try {
    const open = await ready;
    const opened = JSON.parse(open(new Uint8Array(content), name, points)) as Opened;
    self.postMessage({ id, opened } satisfies OpenReply);
  } catch (error) {
    self.postMessage({ id, failed: String(error) } satisfies OpenReply);
  }
};
