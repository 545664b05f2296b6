// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { embedPatterns, patterns } from '../../build/routes';

test('each route of the router is listed, with those that stand under a condition', () => {
  const source = readFileSync(new URL('../../src/app/routes.tsx', import.meta.url), 'utf8');
  const written = source.match(/<Route\b/g)?.length ?? 0;
  expect(patterns()).toHaveLength(written - 1); // the last has no path: it is the page of what is not found
  expect(patterns()).toEqual(expect.arrayContaining(['/', '/explorer/:slug', '/upload', '/l/:token']));
});

test('an embed is behind each view that can stand in another page', () => {
  const source = readFileSync(new URL('../../src/features/embed/EmbedPage.tsx', import.meta.url), 'utf8');
  const shown = [...source.matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path);
  expect(shown).toContain('/embed/explorer/:slug');
  expect(embedPatterns().sort()).toEqual(shown.sort());
});
