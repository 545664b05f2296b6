// SPDX-License-Identifier: Apache-2.0
// The explorer is what people come for: its code is fetched beside the page's first script, not after it.
import type { Plugin } from 'vite';

const ENTRY = '/features/explorer/ExplorerPage.tsx';

export function preload(): Plugin {
  return {
    name: 'coalescope-preload',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle, chunk }) {
        if (!bundle || !chunk) return [];
        const scripts = new Set<string>();
        const visit = (name: string): void => {
          const part = bundle[name];
          if (scripts.has(name) || part?.type !== 'chunk' || part.isEntry) return;
          scripts.add(name);
          part.imports.forEach(visit);
        };
        for (const part of Object.values(bundle))
          if (part.type === 'chunk' && part.facadeModuleId?.endsWith(ENTRY)) visit(part.fileName);
        if (scripts.size === 0) throw new Error(`no chunk begins with ${ENTRY}`);
        const already = new Set(chunk.imports);
        return [...scripts]
          .filter((name) => !already.has(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
            injectTo: 'head' as const,
          }));
      },
    },
  };
}
