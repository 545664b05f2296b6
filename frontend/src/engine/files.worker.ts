// SPDX-License-Identifier: Apache-2.0
/// <reference lib="webworker" />
// The server's own Python without the server: it reads run logs and tables that are opened and not uploaded, and works out for a copy what
// follows from the answers that it keeps.
import { loadPyodide, type PyodideAPI } from 'pyodide';
import { fileAddress } from '../api/home';
import type { OpenReply, OpenRequest } from './files';

declare const self: DedicatedWorkerGlobalScope;

// each part is imported when it is asked for
const PROGRAM = `
import json, sys
sys.path.insert(0, "/readers.zip")

def open_log(data, name, points):
    from coalescope_host import run_log
    report = run_log.check(data, name).to_json()
    log, _ = run_log.scan(data)
    return {"report": report, "contents": None if log is None else run_log.contents(log, points)}

def open_table(data, name):
    from coalescope.uploads import opening
    return opening.open_table(data, name)

def evaluate(data, path):
    from coalescope.copies import answers
    asked = json.loads(data)
    return answers.evaluate(path, asked["query"], asked["kept"])

def answer(kind, content, name, points):
    data = content.to_bytes()
    if kind == "log":
        return json.dumps(open_log(data, name, points))
    return json.dumps((open_table if kind == "table" else evaluate)(data, name))

answer
`;

type Open = (kind: OpenRequest['as'], content: Uint8Array, name: string, points: number) => string;

async function boot(): Promise<Open> {
  const base = fileAddress(__PYODIDE_BASE__);
  const readers = fetch(fileAddress(__READERS_ZIP__)).then((r) => {
    if (!r.ok) throw new Error(`couldn’t load the program that reads files: ${r.status}`);
    return r.arrayBuffer();
  });
  const python: PyodideAPI = await loadPyodide({ indexURL: base, stdLibURL: `${base}stdlib.zip` });
  python.FS.writeFile('/readers.zip', new Uint8Array(await readers));
  return python.runPython(PROGRAM) as Open;
}

// Pyodide fetches its files side by side: when the server is gone each fails, and boot reports the first. The page is told once.
self.addEventListener('unhandledrejection', (event) => event.preventDefault());

const ready = boot();
ready.catch(() => undefined);

self.onmessage = async ({ data: { id, as, content, name, points } }: MessageEvent<OpenRequest>) => {
  try {
    const open = await ready;
    self.postMessage({
      id,
      opened: JSON.parse(open(as, new Uint8Array(content), name, points)),
    } satisfies OpenReply);
  } catch (error) {
    self.postMessage({ id, failed: String(error) } satisfies OpenReply);
  }
};
