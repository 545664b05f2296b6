// SPDX-License-Identifier: Apache-2.0
// What the server reads run logs and tables with, and what a copy works out itself, as one zip under /models/<hash>.zip: the page opens files
// with the same program.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { modelsSource, runPython } from './python.ts';

const sourceOf = (part: string): string => fileURLToPath(new URL(`../../${part}/src/`, import.meta.url));
const sources = [sourceOf('host'), sourceOf('backend'), modelsSource];

// The modules that this takes, as Python finds them. Deterministic: sorted names, one date, so that the hash names the contents.
const ZIP = `
import io, pathlib, sys, zipfile
roots = sys.argv[1:]
sys.path[:0] = roots
import coalescope.copies.answers, coalescope.uploads.opening, coalescope_host.run_log
files = {}
for name, module in sys.modules.items():
    if name.partition(".")[0] in ("coalescope", "coalescope_host", "coalescope_models"):
        file = pathlib.Path(module.__file__)
        root = next(r for r in roots if file.is_relative_to(r))
        for each in (file, *file.parent.glob("*.toml")):  # and the tables that modules read
            files[each.relative_to(root).as_posix()] = each.read_bytes()
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for name in sorted(files):
        z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), files[name], zipfile.ZIP_DEFLATED)
sys.stdout.buffer.write(out.getvalue())
`;

const zipReaders = (): Buffer => runPython(['-c', ZIP, ...sources]);

export function readers(): Plugin {
  let zip: Buffer = Buffer.alloc(0);
  let path = '';
  return {
    name: 'coalescope-readers',
    config() {
      zip = zipReaders();
      path = `models/readers-${createHash('sha256').update(zip).digest('hex').slice(0, 12)}.zip`;
      return { define: { __READERS_ZIP__: JSON.stringify(`/${path}`) } };
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if ((request.url ?? '').split('?')[0] !== `/${path}`) return next();
        response.setHeader('content-type', 'application/zip');
        response.end(zipReaders());
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: path, source: zip });
    },
  };
}
