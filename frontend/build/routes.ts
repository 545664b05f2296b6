// SPDX-License-Identifier: Apache-2.0
// routes.json: the addresses that only the page knows of. `coalescope publish` writes a document for each figure; the server
// answers 404 where no route fits.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { FIGURES } from '../src/features/figures/definitions/index.ts';

const ROUTES = new URL('../src/app/routes.tsx', import.meta.url);

/** The patterns of the page's router, such as /explorer/:slug. */
export function patterns(): string[] {
  return [...readFileSync(ROUTES, 'utf8').matchAll(/<Route path="([^"]+)"/g)].map(([, pattern]) => pattern as string);
}

export function routes(): Plugin {
  return {
    name: 'coalescope-routes',
    apply: 'build',
    generateBundle() {
      const source = `${JSON.stringify({ figures: FIGURES.map(({ id }) => id), routes: patterns() })}\n`;
      this.emitFile({ type: 'asset', fileName: 'routes.json', source });
    },
  };
}
