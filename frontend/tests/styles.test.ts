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

/** What one feature styles by itself and another takes from it, with something of its own. */
const BORROWED: Readonly<Record<string, string>> = {
  explorer: '.beside .duet .head .key .more .params .plot .quiet .row .whose',
  experiments: '.command .find .kinds',
  figures: '.figures .panels',
  'how-it-works': '.words',
  models: '.about',
  open: '.open',
  recommend: '.aside',
  replicates: '.choices',
  runs: '.runs',
  share: '.field',
  start: '.start',
  upload: '.acts .drop',
};

/** All classes that the sheet names. */
function classes(sheet: string): Set<string> {
  const selectors = sheet.replaceAll(/\/\*.*?\*\//gs, '').match(/[^{}]+(?=\{)/g) ?? [];
  return new Set(selectors.flatMap((text) => text.match(/\.[a-z][\w-]*/g) ?? []));
}

/** Classes that a feature styles wherever they are, and that another gives to something of its own. */
function takenFromAnother(sheets: readonly (readonly [string, string])[]): string[] {
  const feature = (path: string): string => /features\/([\w-]+)/.exec(path)?.[1] ?? '';
  const named = sheets.map(([path, sheet]) => [feature(path), classes(sheet)] as const);
  return sheets.flatMap(([path, sheet]) => {
    const owner = feature(path);
    const borrowed = new Set([...SHARED, ...(BORROWED[owner]?.split(' ') ?? [])]);
    const others = named.filter(([other]) => other !== owner);
    return [...ownClasses(sheet)]
      .filter((name) => !borrowed.has(name))
      .flatMap((name) => {
        const takers = others.filter(([, names]) => names.has(name)).map(([other]) => other);
        return takers.length > 0 ? [`${name} of ${owner} in ${takers.join(' and ')}`] : [];
      });
  });
}

const SHEETS = readdirSync('src/features', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.css'))
  .map((file) => [`features/${file}`, readFileSync(`src/features/${file}`, 'utf8')] as const);

it('gives nothing a class that another feature styles wherever it is', () => {
  expect(takenFromAnother(SHEETS)).toEqual([]);
  expect(
    takenFromAnother([
      ['features/home/a.css', '.ways { display: grid } .ways a { border: 0 }'],
      ['features/models/b.css', '.about .ways { gap: 0 }'],
    ]),
  ).toEqual(['.ways of home in models']);
});

function inSeveral(sheets: Record<string, string>): string[] {
  const features = new Map<string, Set<string>>();
  for (const [path, sheet] of Object.entries(sheets)) {
    const feature = /features\/([\w-]+)/.exec(path)?.[1] ?? '';
    for (const name of ownClasses(sheet)) features.set(name, (features.get(name) ?? new Set()).add(feature));
  }
  return [...features].filter(([, at]) => at.size > 1).map(([name, at]) => `${name} of ${[...at].join(' and ')}`);
}

it('lets no two features style a class of the same name', () => {
  expect(SHEETS.length).toBeGreaterThan(10);
  expect(inSeveral(Object.fromEntries(SHEETS)).filter((each) => !SHARED.has(each.split(' ')[0] as string))).toEqual([]);
});

it('finds one that is', () => {
  const sheets = {
    'features/home/a.css':
      '.list .tile { color: red } /* .row {} */ td:is(.a, .here) {} @media print { .tile, h1 { margin: 0 } }',
    'features/explorer/b.css': '.tile { position: absolute } .here .list {}',
  };
  expect(inSeveral(sheets)).toEqual(['.tile of home and explorer']);
});
