// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';

const HEADING = /className="sec"/;
const DECLARED = /^(?:export )?(?:function|const) Section\b/m;

const holding = (what: RegExp): string[] =>
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx') && what.test(readFileSync(`src/${path}`, 'utf8')))
    .map((path) => basename(path));

it('is the only component of its name, and the only one with the heading of a part', () => {
  expect(holding(HEADING)).toEqual(['Section.tsx']);
  expect(holding(DECLARED)).toEqual(['Section.tsx']);
});
