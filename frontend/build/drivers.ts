// SPDX-License-Identifier: Apache-2.0
// `virtual:drivers`: the drivers whose coalescing is known and the kernels that it is known of, from the table that the host tools and the server read.
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
      const table = JSON.parse(readFileSync(TABLE, 'utf8')) as {
        releases: Record<string, unknown>;
        drivers: Record<string, unknown>;
      };
      const lists = { drivers: Object.keys(table.drivers).sort(), releases: Object.keys(table.releases) };
      return Object.entries(lists)
        .map(([name, list]) => `export const ${name} = ${JSON.stringify(list)};`)
        .join('\n');
    },
  };
}
