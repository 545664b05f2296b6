// SPDX-License-Identifier: Apache-2.0
// `virtual:drivers`: the names of the drivers whose coalescing is known, from the table that the host tools and the server read.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const TABLE = fileURLToPath(new URL('../../host/src/coalescope_host/drivers/drivers.json', import.meta.url));
const ID = 'virtual:drivers';
const RESOLVED = `\0${ID}`;

export function drivers(): Plugin {
  return {
    name: 'coalescope-drivers',
    resolveId: (id) => (id === ID ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      this.addWatchFile(TABLE);
      const table = JSON.parse(readFileSync(TABLE, 'utf8')) as { drivers: Record<string, unknown> };
      return `export const drivers = ${JSON.stringify(Object.keys(table.drivers).sort())};`;
    },
  };
}
