// SPDX-License-Identifier: Apache-2.0
// The linter's rules about who may know what: each must bite on a culprit and let its good twin pass.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const culprits: [string, string, string][] = [
  ['src/plots/a.ts', 'export const x = document.title;', 'noRestrictedGlobals'],
  ['src/state/a.ts', 'export const x = localStorage.length;', 'noRestrictedGlobals'],
  ['src/state/b.ts', 'export const x = location.href;', 'noRestrictedGlobals'],
  ['src/state/url/a.ts', 'export const x = document.title;', 'noRestrictedGlobals'],
  ['src/features/runs/a.ts', 'export const x = location.href;', 'noRestrictedGlobals'],
  ['src/features/runs/b.ts', "export const x = () => fetch('/api/runs');", 'noRestrictedGlobals'],
  ['src/components/a.ts', 'export const x = () => new XMLHttpRequest();', 'noRestrictedGlobals'],
  ['src/api/a.ts', 'export const x = history.length;', 'noRestrictedGlobals'],
  ['src/plots/b.ts', "export { Menu } from '../components/Menu';", 'noRestrictedImports'],
  ['src/components/b.ts', "export { useRuns } from '../api/queries';", 'noRestrictedImports'],
  ['src/features/runs/c.ts', "export { App } from '../../app/App';", 'noRestrictedImports'],
  ['src/engine/a.ts', "export { Menu } from '../components/Menu';", 'noRestrictedImports'],
];

const twins: [string, string][] = [
  ['src/state/url/b.ts', 'export const x = location.href;'],
  ['src/state/address.ts', 'export const x = history.length;'],
  ['src/api/b.ts', "export const x = () => fetch('/api/runs');"],
  ['src/features/runs/d.ts', 'export const x = document.title;'],
  ['src/components/c.ts', "export type { Quantity } from '../api/types';"],
  ['src/plots/c.ts', "export { tide } from './tide';"],
];

interface Diagnostic {
  category: string;
  location: { path: string | { file: string } };
}

let house: string;
let found: Diagnostic[];

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'coalescope-lint-'));
  cpSync('biome.json', join(house, 'biome.json'));
  for (const [path, source] of [...culprits, ...twins]) {
    mkdirSync(dirname(join(house, path)), { recursive: true });
    writeFileSync(join(house, path), `${source}\n`);
  }
  const run = spawnSync(
    resolve('node_modules/.bin/biome'),
    ['lint', '--reporter=json', '--max-diagnostics=none', 'src'],
    {
      cwd: house,
      encoding: 'utf8',
    },
  );
  found = JSON.parse(run.stdout).diagnostics;
});
afterAll(() => rmSync(house, { recursive: true }));

function faults(path: string): string[] {
  const where = ({ location }: Diagnostic) => (typeof location.path === 'string' ? location.path : location.path.file);
  return found.filter((each) => where(each) === path).map(({ category }) => category.replace('lint/style/', ''));
}

describe('the linter', () => {
  it.each(culprits)('refuses in %s: %s', (path, _source, rule) => expect(faults(path)).toEqual([rule]));
  it.each(twins)('lets pass in %s: %s', (path) => expect(faults(path)).toEqual([]));
});
