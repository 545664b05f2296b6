// SPDX-License-Identifier: Apache-2.0
// routes.json: the addresses that only the page knows of. `coalescope publish` writes a document for each figure; the server
// answers 404 where no route fits, and lets other sites frame the embeds alone.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { FIGURES } from '../src/features/figures/definitions/index.ts';
import { canEmbed, embedPath } from '../src/state/embed.ts';
import { scriptsOf } from './pieces.ts';

const ROUTES = new URL('../src/app/routes.tsx', import.meta.url);

/** The patterns of the page's router, such as /explorer/:slug. */
export function patterns(): string[] {
  return [...readFileSync(ROUTES, 'utf8').matchAll(/<Route path="([^"]+)"/g)].map(([, pattern]) => pattern as string);
}

/** The same for embeds: a view's own behind /embed. */
export function embedPatterns(): string[] {
  return patterns()
    .filter(canEmbed)
    .map((pattern) => embedPath(pattern, { theme: 'auto', sliders: false }));
}

export function routes(): Plugin {
  return {
    name: 'coalescope-routes',
    apply: 'build',
    generateBundle(_options, bundle) {
      const embeds = embedPatterns();
      const scripts = scriptsOf(bundle);
      const listed = { figures: FIGURES.map(({ id }) => id), routes: [...patterns(), ...embeds], embeds, scripts };
      const source = `${JSON.stringify(listed)}\n`;
      this.emitFile({ type: 'asset', fileName: 'routes.json', source });
    },
  };
}
