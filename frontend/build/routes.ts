// SPDX-License-Identifier: Apache-2.0
// routes.json: the addresses that only the page knows of, for `coalescope publish`, which writes a document for each.
import type { Plugin } from 'vite';
import { FIGURES } from '../src/features/figures/definitions/index.ts';

export function routes(): Plugin {
  return {
    name: 'coalescope-routes',
    apply: 'build',
    generateBundle() {
      const source = `${JSON.stringify({ figures: FIGURES.map(({ id }) => id) })}\n`;
      this.emitFile({ type: 'asset', fileName: 'routes.json', source });
    },
  };
}
