// SPDX-License-Identifier: Apache-2.0
/// <reference lib="webworker" />
// Python for one run, inside the sandbox. Its files come with the first message: there is no network to fetch them from.
import { loadPyodide } from 'pyodide';

declare const self: DedicatedWorkerGlobalScope;

export interface Start {
  readonly kind: 'start';
  /** Address of Pyodide's module, a blob of the sandbox. */
  readonly asm: string;
  readonly wasm: WebAssembly.Module;
  readonly stdlib: ArrayBuffer;
  readonly models: ArrayBuffer;
}
export interface Run {
  readonly kind: 'run';
  readonly source: string;
}

const PROGRAM = `
import sys
sys.path.insert(0, "/models.zip")
from coalescope_models import catalogue
from coalescope_models.user_models import source
source.answer
`;

/** What Pyodide would fetch and compile, from what came along; gone when it has started. */
async function withoutNetwork<T>({ wasm, stdlib }: Start, boot: () => Promise<T>): Promise<T> {
  const { fetch, WebAssembly: web } = self as unknown as { fetch: unknown; WebAssembly: typeof WebAssembly };
  const { instantiateStreaming } = web;
  const give = async (address: unknown): Promise<Response> =>
    new Response(String(address).endsWith('stdlib.zip') ? stdlib : null);
  Object.assign(self, { fetch: give });
  web.instantiateStreaming = async (_, imports) => ({
    module: wasm,
    instance: await web.instantiate(wasm, imports),
  });
  try {
    return await boot();
  } finally {
    Object.assign(self, { fetch });
    web.instantiateStreaming = instantiateStreaming;
  }
}

async function boot(start: Start): Promise<(text: string) => string> {
  const { default: createPyodideModule } = await import(/* @vite-ignore */ start.asm);
  const options = {
    indexURL: 'https://sandbox.invalid/',
    stdLibURL: 'https://sandbox.invalid/stdlib.zip',
    lockFileContents: __PYODIDE_LOCK__,
    packageBaseUrl: 'https://sandbox.invalid/',
    createPyodideModule,
    stdout: () => undefined,
    stderr: () => undefined,
  };
  const python = await withoutNetwork(start, () => loadPyodide(options));
  python.FS.writeFile('/models.zip', new Uint8Array(start.models));
  return python.runPython(PROGRAM) as (text: string) => string;
}

let ready: Promise<(text: string) => string> | null = null;

self.addEventListener('message', async ({ data }: MessageEvent<Start | Run>) => {
  if (data.kind === 'start') {
    ready = boot(data);
    ready.then(
      () => self.postMessage({ kind: 'ready' }),
      (error: unknown) => self.postMessage({ kind: 'failed', message: String(error).slice(0, 300) }),
    );
    return;
  }
  const answer = await ready;
  let text: string;
  try {
    text = (answer as (text: string) => string)(data.source);
  } catch (error) {
    // what even Python could not catch: memory, or its own stack
    text = JSON.stringify({ error: { message: `Python gave up: ${String(error).trim().split('\n').at(-1)}` } });
  }
  self.postMessage({ kind: 'answer', text });
});

self.postMessage({ kind: 'loaded' });
