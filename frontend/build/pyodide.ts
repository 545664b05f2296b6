// SPDX-License-Identifier: Apache-2.0
// Pyodide's files and the memory that the page's Python starts from under /pyodide/<version>/, the models' sources as one zip under
// /models/<hash>.zip.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { modelsSource, runPython } from './python.ts';
import { snapshot, snapshotName } from './snapshot.ts';

const home = new URL('../node_modules/pyodide/', import.meta.url);
const version = (JSON.parse(readFileSync(new URL('package.json', home), 'utf8')) as { version: string }).version;
const compiled = new URL(`../.generated/python-stdlib-${version}.zip`, import.meta.url);
const FILES = ['pyodide.asm.mjs', 'pyodide.asm.wasm', 'pyodide-lock.json'];
/** What Pyodide wants to know of its packages: that there are none. */
const { info } = JSON.parse(readFileSync(new URL('pyodide-lock.json', home), 'utf8')) as { info: object };
const NO_PACKAGES = JSON.stringify({ info, packages: {} });
const MIME: Readonly<Record<string, string>> = {
  mjs: 'text/javascript',
  wasm: 'application/wasm',
  zip: 'application/zip',
  json: 'application/json',
};

// Deterministic: sorted names, one date, so that the hash names the contents.
const ZIP = `
import io, pathlib, sys, zipfile
root = pathlib.Path(sys.argv[1])
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for f in sorted(f for f in root.rglob("*") if f.suffix in (".py", ".toml")):
        z.writestr(zipfile.ZipInfo(str(f.relative_to(root)), (1980, 1, 1, 0, 0, 0)), f.read_bytes(), zipfile.ZIP_DEFLATED)
sys.stdout.buffer.write(out.getvalue())
`;

export const zipModels = (): Buffer => runPython(['-c', ZIP, modelsSource]);

function stdlib(): Buffer {
  if (!existsSync(compiled))
    throw new Error('run `node build/pyodide-stdlib.mjs` first: it compiles the standard library');
  return readFileSync(compiled);
}

export function pyodide(): Plugin {
  const base = `pyodide/${version}/`;
  let zip: Buffer = Buffer.alloc(0);
  let zipPath = '';
  let memory = '';
  return {
    name: 'coalescope-pyodide',
    config() {
      zip = zipModels();
      zipPath = `models/${createHash('sha256').update(zip).digest('hex').slice(0, 12)}.zip`;
      memory = snapshotName(version, zip);
      return {
        define: {
          __PYODIDE_BASE__: JSON.stringify(`/${base}`),
          __PYODIDE_LOCK__: JSON.stringify(NO_PACKAGES),
          __MODELS_ZIP__: JSON.stringify(`/${zipPath}`),
          __PYTHON_MEMORY__: JSON.stringify(`/${base}${memory}`),
        },
        optimizeDeps: { exclude: ['pyodide'] },
        worker: { format: 'es' as const },
      };
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').split('?')[0] ?? '';
        const send = (body: Buffer): void => {
          response.setHeader('content-type', MIME[path.split('.').pop() ?? ''] ?? 'application/octet-stream');
          response.end(body);
        };
        const file = FILES.find((name) => path === `/${base}${name}`);
        if (file !== undefined) send(readFileSync(new URL(file, home)));
        else if (path === `/${base}stdlib.zip`) send(stdlib());
        else if (path === `/${base}${memory}`) snapshot(memory, compiled, zip).then(send, next);
        else if (path.startsWith('/models/') && path.endsWith('.zip')) send(zipModels());
        else next();
      });
    },
    async generateBundle() {
      // the worker is a bundle of its own: the assets belong to the page's
      for (const file of FILES)
        this.emitFile({ type: 'asset', fileName: base + file, source: readFileSync(new URL(file, home)) });
      this.emitFile({ type: 'asset', fileName: `${base}stdlib.zip`, source: stdlib() });
      this.emitFile({ type: 'asset', fileName: base + memory, source: await snapshot(memory, compiled, zip) });
      this.emitFile({ type: 'asset', fileName: zipPath, source: zip });
    },
  };
}
