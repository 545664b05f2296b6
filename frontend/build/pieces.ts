// SPDX-License-Identifier: Apache-2.0
// What every page needs is one file, and what the explorer needs besides is another, fetched beside it: the explorer is what people come
// for. A browser asks a server for six files at a time, so thirty small ones are five more ways there and back.
import type { Plugin, Rolldown } from 'vite';

const FIRST = '/app/main.tsx';
const EXPLORER = '/features/explorer/ExplorerPage.tsx';
const NAME = 'explorer';

type Modules = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>;

/** A module and all that it imports at once, not what it asks for later. */
function closure(of: string, modules: Modules): Set<string> {
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    modules.getModuleInfo(id)?.importedIds.forEach(visit);
  };
  visit(new URL(`../src${of}`, import.meta.url).pathname);
  return found;
}

/** One file of a module and what it imports, but for what is in a group before it. */
function piece(name: string, of: string): Rolldown.CodeSplittingGroup {
  let own: Set<string> | null = null;
  return {
    name(id, modules) {
      own ??= closure(of, modules);
      return own.has(id) ? name : null;
    },
  };
}

export const pieces = { groups: [piece('page', FIRST), piece(NAME, EXPLORER)] };

export function preload(): Plugin {
  return {
    name: 'coalescope-preload',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        if (!bundle) return [];
        const explorer = Object.values(bundle).find((part) => part.type === 'chunk' && part.name === NAME);
        if (!explorer) throw new Error(`no file holds ${EXPLORER}`);
        return [
          {
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${explorer.fileName}` },
            injectTo: 'head' as const,
          },
        ];
      },
    },
  };
}
