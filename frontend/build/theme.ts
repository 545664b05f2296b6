// SPDX-License-Identifier: Apache-2.0
// theme.js under a name that changes with it. Nothing is painted before it ran, so a browser should not have to ask whether it is still the
// same.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const source = readFileSync(new URL('../public/theme.js', import.meta.url), 'utf8');
const fileName = `assets/theme-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`;

export function theme(): Plugin {
  return {
    name: 'coalescope-theme',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('src="/theme.js"', `src="/${fileName}"`),
    },
  };
}
