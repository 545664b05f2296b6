// SPDX-License-Identifier: Apache-2.0
// The run log codec's own sources as one zip under /models/<hash>.zip: the page opens logs with the program that the server reads them with.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { runPython } from './python.ts';

const source = fileURLToPath(new URL('../../host/src/', import.meta.url));

// Deterministic: sorted names, one date, so that the hash names the contents.
const ZIP = `
import io, pathlib, sys, zipfile
root = pathlib.Path(sys.argv[1])
package = root / "coalescope_host"
files = [package / "__init__.py", *sorted((package / "run_log").glob("*.py"))]
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for f in files:
        info = zipfile.ZipInfo(str(f.relative_to(root)), (1980, 1, 1, 0, 0, 0))
        z.writestr(info, f.read_bytes(), zipfile.ZIP_DEFLATED)
sys.stdout.buffer.write(out.getvalue())
`;

const zipCodec = (): Buffer => runPython(['-c', ZIP, source]);

export function codec(): Plugin {
  let zip: Buffer = Buffer.alloc(0);
  let path = '';
  return {
    name: 'coalescope-codec',
    config() {
      zip = zipCodec();
      path = `models/run-log-${createHash('sha256').update(zip).digest('hex').slice(0, 12)}.zip`;
      return { define: { __RUN_LOG_ZIP__: JSON.stringify(`/${path}`) } };
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if ((request.url ?? '').split('?')[0] !== `/${path}`) return next();
        response.setHeader('content-type', 'application/zip');
        response.end(zipCodec());
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: path, source: zip });
    },
  };
}
