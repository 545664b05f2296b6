// SPDX-License-Identifier: Apache-2.0
// Beside each file of the built page that gets smaller by it, the same as .br and .gz: the server sends those to whoever takes them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const folder = fileURLToPath(new URL('../dist/', import.meta.url));
const PACKED = new Set(['.css', '.html', '.js', '.json', '.mjs', '.svg', '.wasm']);
/** An answer that fits into one packet gains nothing. */
const LEAST_BYTES = 1200;

const ways = {
  // the two levels above take ten times as long for a twentieth less
  '.br': (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  '.gz': (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

async function pack(path) {
  const bytes = readFileSync(path);
  if (bytes.length < LEAST_BYTES) return;
  for (const [suffix, way] of Object.entries(ways)) writeFileSync(path + suffix, await way(bytes));
}

/** What notebooks load comes from the disk (coalescope.client.exploring). */
const NOT_SENT = 'notebook.js';

const files = readdirSync(folder, { recursive: true }).filter((name) => PACKED.has(extname(name)) && name !== NOT_SENT);
await Promise.all(files.map((name) => pack(folder + name)));
