// SPDX-License-Identifier: Apache-2.0
// The memory of a Python that has started and imported the models. The page's Python goes on from it: nothing is imported once more, and no
// library has to come with it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { loadPyodide } from 'pyodide';

/** What the page's Python answers with, by the name that src/engine/python.worker.ts asks for. */
const PROGRAM = `
import json, math, sys
sys.path.insert(0, "/models.zip")
from coalescope_models.catalogue import MODELS, evaluate

def known(outputs):
    return {name: value if math.isfinite(value) else None for name, value in outputs.items()}

def evaluate_checks(text):
    return json.dumps([known(evaluate(MODELS[c["model"]], c["values"])) for c in json.loads(text)])
`;

async function memoryOf(library: URL, models: Uint8Array): Promise<Uint8Array> {
  const python = await loadPyodide({ stdLibURL: fileURLToPath(library), _makeSnapshot: true });
  python.FS.writeFile('/models.zip', models);
  python.runPython(PROGRAM);
  return python.makeMemorySnapshot();
}

/** A memory fits the Pyodide that it was made with, and no other. */
export const snapshotName = (version: string, models: Uint8Array): string =>
  `${createHash('sha256').update(version).update(PROGRAM).update(models).digest('hex').slice(0, 12)}.memory`;

/** Made once and kept. gzip, whatever the server does: most of 31 MB is nought, and a host of plain files packs nothing. */
export async function snapshot(name: string, library: URL, models: Uint8Array): Promise<Buffer> {
  const folder = new URL('../.generated/', import.meta.url);
  const target = new URL(name, folder);
  if (!existsSync(target)) {
    const packed = gzipSync(await memoryOf(library, models), { level: 9 });
    mkdirSync(folder, { recursive: true });
    const draft = new URL(`${target.href}.${process.pid}.part`);
    writeFileSync(draft, packed);
    renameSync(draft, target);
  }
  return readFileSync(target);
}
