// SPDX-License-Identifier: Apache-2.0
// What every page needs is one file, and what the explorer needs besides is another, fetched beside it: the explorer is what people come
// for. What the home page needs besides these is a third, which the server's document of that address names. A browser asks a server for six files at a time, so thirty small ones are five more ways there and back.
import type { Plugin, Rolldown } from 'vite';

const FIRST = '/app/main.tsx';
const EXPLORER = '/features/explorer/ExplorerPage.tsx';
const NAME = 'explorer';
const HOME = '/features/experiments/ExperimentsPage.tsx';
const HOME_NAME = 'home';

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

const PIECES = { page: FIRST, [NAME]: EXPLORER, [HOME_NAME]: HOME };

export const pieces = { groups: Object.entries(PIECES).map(([name, of]) => piece(name, of)) };

/** The file that the build made of a group. */
function fileOf(name: string, bundle: Rolldown.OutputBundle): string {
  const found = Object.values(bundle).find((part) => part.type === 'chunk' && part.name === name);
  if (!found) throw new Error(`no file of the build is named ${name}`);
  return found.fileName;
}

/** What addresses need besides the scripts that the document names for all of them. */
export const scriptsOf = (bundle: Rolldown.OutputBundle) => ({ '/': [fileOf(HOME_NAME, bundle)] });

export function preload(): Plugin {
  return {
    name: 'coalescope-preload',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        if (!bundle) return [];
        const href = `/${fileOf(NAME, bundle)}`;
        return [{ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href }, injectTo: 'head' as const }];
      },
    },
  };
}

/**
 * Most functions of these files are called until something is drawn. A first line asks Chromium to compile them all on other threads while
 * the files come; otherwise it would read each once more and compile it on the page's own thread, when it is called first. To other
 * browsers the line is a comment.
 */
export function calledAtOnce(): Plugin {
  return {
    name: 'coalescope-called-at-once',
    apply: 'build',
    generateBundle: {
      order: 'post', // Vite puts a line of its own first
      handler(_options, bundle) {
        for (const part of Object.values(bundle))
          if (part.type === 'chunk' && part.name in PIECES) part.code = `//# allFunctionsCalledOnLoad\n${part.code}`;
      },
    },
  };
}
