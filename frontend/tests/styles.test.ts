// SPDX-License-Identifier: Apache-2.0
// Sheets of all features come together in one document, so a class that two of them style by itself is one thing or a fault.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What a feature shows of another's, and adds to. */
const SHARED = new Set(['.advice', '.advicehead', '.eq', '.explorer', '.list', '.param']);

/** The classes that a rule of the sheet begins with, not those that stand in something of the sheet's own. */
function ownClasses(sheet: string): Set<string> {
  const selectors = sheet.replaceAll(/\/\*.*?\*\/|\([^()]*\)/gs, '').match(/[^{}]+(?=\{)/g) ?? [];
  const first = selectors.flatMap((text) => text.split(',')).map((each) => /^\.[\w-]+/.exec(each.trim())?.[0]);
  return new Set(first.filter((name) => name !== undefined));
}

function inSeveral(sheets: Record<string, string>): string[] {
  const features = new Map<string, Set<string>>();
  for (const [path, sheet] of Object.entries(sheets)) {
    const feature = /features\/([\w-]+)/.exec(path)?.[1] ?? '';
    for (const name of ownClasses(sheet)) features.set(name, (features.get(name) ?? new Set()).add(feature));
  }
  return [...features].filter(([, at]) => at.size > 1).map(([name, at]) => `${name} of ${[...at].join(' and ')}`);
}

it('lets no two features style a class of the same name', () => {
  const files = readdirSync('src/features', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.css'),
  );
  const sheets = files.map((file) => [`features/${file}`, readFileSync(`src/features/${file}`, 'utf8')]);
  expect(sheets.length).toBeGreaterThan(10);
  expect(inSeveral(Object.fromEntries(sheets)).filter((each) => !SHARED.has(each.split(' ')[0] as string))).toEqual([]);
});

it('finds one that is', () => {
  const sheets = {
    'features/home/a.css':
      '.list .tile { color: red } /* .row {} */ td:is(.a, .here) {} @media print { .tile, h1 { margin: 0 } }',
    'features/explorer/b.css': '.tile { position: absolute } .here .list {}',
  };
  expect(inSeveral(sheets)).toEqual(['.tile of home and explorer']);
});
