// SPDX-License-Identifier: Apache-2.0
// Links that people have. frozen.json is appended to, and never edited: what an address meant, it means in every later version.
import { describe, expect, it } from 'vitest';
import { fromQuery, toQuery } from '../../../src/state/link';
import frozen from './frozen.json';
import { meaningOf } from './meaning';
import { subjectOf, termsFor } from './subjects';

describe('an address that was given away', () => {
  it.each(frozen.map((f) => [f.of, f.query, f.means] as const))('%s?%s', (of, query, means) => {
    const terms = termsFor(subjectOf(of));
    const { state, rejected } = fromQuery(query, terms);
    expect(rejected).toEqual([]);
    expect(meaningOf(state, terms)).toEqual(means);
    expect(fromQuery(toQuery(state, terms), terms)).toEqual({ state, rejected: [] });
  });

  it('says its version only where it must', () => {
    expect(frozen.some((f) => /(^|&)v=/.test(f.query))).toBe(true);
    const terms = termsFor(subjectOf('bench'));
    expect(toQuery(fromQuery('v=1', terms).state, terms)).toBe('');
  });

  it('of a newer page is read as far as it can be, and said to be newer', () => {
    const terms = termsFor(subjectOf('geist-2005-nfs'));
    const { state, rejected } = fromQuery('v=2&mtu_bytes=1500&hologram=on', terms);
    expect(state.y).toBe(1500);
    expect(rejected.map((r) => r.name)).toEqual(['v', 'hologram']);
    expect(rejected[0].reason).toMatch(/newer page/);
  });
});
