// SPDX-License-Identifier: Apache-2.0
// The list of runs and its address. frozen.json is appended to, never edited: its links are out in the world.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  everyRun,
  type Listed,
  type Listing,
  ORDERS,
  readListing,
  requestOf,
  STATES,
  sortedBy,
  sortsOf,
  toQuery,
  WARNINGS,
} from '../../../src/features/runs/listing';
import { generator, pick } from '../../random';
import frozen from './frozen.json';

const factor = (name: string, levels: (number | string)[]) => ({
  name,
  label: name,
  unit: '',
  levels,
  level_count: levels.length,
  choice: true,
});
const measure = (name: string) => ({ name }) as Listed['measures'][number];
const LAB: Listed = {
  factors: [factor('mtu_bytes', [1500, 9000]), factor('workload', ['a,b', 'udp & tcp'])],
  measures: [measure('throughput_mbps'), measure('packets_per_interrupt')],
  default_view: null,
};
const read = (query: string) => readListing(query, LAB);

describe('the address', () => {
  it.each(frozen)('means what it meant: $query', ({ query, means }) => {
    const { listing, rejected } = read(query);
    expect(listing).toEqual(means);
    expect(rejected).toEqual([]);
    expect(toQuery(listing, LAB)).toBe(query);
  });

  it('gives every list back', () => {
    const random = generator(5);
    for (let k = 0; k < 200; k++) {
      const where: Record<string, string> = {};
      for (const { name, levels } of LAB.factors) if (random() < 0.5) where[name] = String(pick(random, levels));
      const listing: Listing = {
        where,
        state: pick(random, [null, ...STATES]),
        warnings: pick(random, [null, ...WARNINGS]),
        sort: pick(random, sortsOf(LAB)),
        falling: random() < 0.5,
        cell: pick(random, [null, 3]),
        from: pick(random, [0, 100]),
        show: pick(random, [[], ['throughput_mbps'], everyRun(LAB).show]),
      };
      expect(read(toQuery(listing, LAB))).toEqual({ listing, rejected: [] });
    }
  });

  it.each([
    ['mtu_bytes=1400', 'mtu_bytes'],
    ['state=gone', 'state'],
    ['warnings=many', 'warnings'],
    ['sort=--stored', 'sort'],
    ['sort=drops', 'sort'],
    ['show=drops', 'show'],
    ['cell=0', 'cell'],
    ['from=1e3', 'from'],
    ['__proto__=1', '__proto__'],
    ['v=2', 'v'],
  ])('loses what cannot be used, says so, and nothing else: %s', (query, name) => {
    const { listing, rejected } = read(`${query}&state=${query.startsWith('state') ? '' : 'whole'}`);
    expect(rejected.map((each) => each.name)).toContain(name);
    if (name !== 'state') expect(listing).toEqual({ ...everyRun(LAB), state: 'whole' });
  });
});

describe('several levels of a factor', () => {
  const OTHER: Listed = { ...LAB, factors: [factor('mtu_bytes', [1500, 3000, 9000])] };

  it('are read joined or repeated, and asked of the server', () => {
    const { listing, rejected } = readListing('mtu_bytes=9000,1500', OTHER);
    expect(rejected).toEqual([]);
    expect(requestOf(listing).where).toEqual({ mtu_bytes: '1500,9000' });
    expect(readListing('mtu_bytes=9000&mtu_bytes=1500', OTHER).listing).toEqual(listing);
    expect(readListing(toQuery(listing, OTHER), OTHER).listing).toEqual(listing);
  });

  it('are refused together where one of them is none', () => {
    const { listing, rejected } = readListing('mtu_bytes=1500,1400', OTHER);
    expect(rejected.map(({ name }) => name)).toEqual(['mtu_bytes']);
    expect(listing.where).toEqual({});
  });
});

describe('the request', () => {
  it('names what differs from every run as stored', () => {
    expect(requestOf(everyRun(LAB))).toEqual({ limit: 100, offset: 0 });
    const { listing } = read('mtu_bytes=1500&sort=-recorded&state=whole&warnings=some&cell=7&from=200');
    expect(requestOf(listing)).toEqual({
      limit: 100,
      offset: 200,
      cell: 7,
      state: 'whole',
      warnings: 'some',
      sort: '-recorded',
      where: { mtu_bytes: '1500' },
    });
  });
});

describe('a press on a column', () => {
  it('sorts rising, then falling, then as stored', () => {
    let list = everyRun(LAB);
    const pressed = () => {
      list = { ...list, ...sortedBy(list, 'mtu_bytes') };
      return [list.sort, list.falling];
    };
    expect([pressed(), pressed(), pressed()]).toEqual([
      ['mtu_bytes', false],
      ['mtu_bytes', true],
      ['stored', false],
    ]);
  });
});

it('has the orders that the interface has', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'));
  const { parameters } = paths['/api/experiments/{slug}/runs'].get;
  const { description } = parameters.find((p: { name: string }) => p.name === 'sort');
  expect(description.startsWith(`${ORDERS.join(', ')}, a factor or a measure;`)).toBe(true);
});
