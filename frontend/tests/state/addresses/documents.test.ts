// SPDX-License-Identifier: Apache-2.0
// docs/addresses.md names every parameter that the page reads, and no other; each has an address that keeps its meaning.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FIELDS as runs } from '../../../src/features/runs/listing';
import { FIELDS as workshop } from '../../../src/features/workshop/address';
import { FIELDS as explorer } from '../../../src/state/link';
import listFrozen from '../../features/runs/frozen.json';
import workshopFrozen from '../../features/workshop/frozen.json';
import explorerFrozen from './frozen.json';

const document = readFileSync(new URL('../../../../docs/addresses.md', import.meta.url), 'utf8');

/** Names in the first column of a section's table; "a factor's name" is none. */
function documented(section: string): string[] {
  const text = document.split(/^##? /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name)).sort();
}

const namesOf = (fields: readonly { readonly names: readonly string[] }[]): string[] =>
  fields.flatMap((each) => each.names);

const asked = (frozen: readonly { readonly query: string }[]): Set<string> =>
  new Set(frozen.flatMap(({ query }) => [...new URLSearchParams(query).keys()]));

describe.each([
  ['Addresses', namesOf(explorer), ['theme', 'v', 'without'], asked(explorerFrozen)],
  ['Runs', namesOf(runs), [], asked(listFrozen)],
  ['Workshop', namesOf(workshop), [], asked(workshopFrozen)],
] as const)('%s', (section, own, ofEveryPage, frozen) => {
  it('says what every parameter is, and of none that is not read', () => {
    expect(documented(section)).toEqual([...own, ...ofEveryPage].sort());
  });

  it('has no name twice', () => {
    expect(new Set(own).size).toBe(own.length);
  });

  it('holds every parameter to a meaning', () => {
    expect(own.filter((name) => !frozen.has(name))).toEqual([]);
  });
});
