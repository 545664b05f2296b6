// SPDX-License-Identifier: Apache-2.0
// Links that people have. frozen.json is appended to, and never edited: what an address meant, it means in every later version.
import { describe, expect, it } from 'vitest';
import { canEmbed, embedPath, isEmbed, slidersAsked, viewPath } from '../../../src/state/embed';
import { FIELDS, fromQuery, toQuery } from '../../../src/state/link';
import embeds from './embeds.json';
import frozen from './frozen.json';
import { meaningOf } from './meaning';
import { subjectOf, termsFor } from './subjects';

describe('an address that was given away', () => {
  it.each(frozen.map((f) => [f.of, f.query, f.means] as const))('%s?%s', (of, query, means) => {
    const schema = termsFor(subjectOf(of));
    const { state, rejected } = fromQuery(query, schema);
    expect(rejected).toEqual([]);
    expect(meaningOf(state, schema)).toEqual(means);
    expect(fromQuery(toQuery(state, schema), schema)).toEqual({ state, rejected: [] });
  });

  it.each(FIELDS.flatMap(({ names }) => names))('would mean something else without its %s', (name) => {
    const changes = frozen.map(({ of, query }) => {
      const schema = termsFor(subjectOf(of));
      const less = new URLSearchParams(query);
      less.delete(name);
      const [meant, left] = [query, less.toString()].map((text) => meaningOf(fromQuery(text, schema).state, schema));
      return JSON.stringify(meant) !== JSON.stringify(left);
    });
    expect(changes).toContain(true);
  });

  it('says its version only where it must', () => {
    expect(frozen.some((f) => /(^|&)v=/.test(f.query))).toBe(true);
    const schema = termsFor(subjectOf('bench'));
    expect(toQuery(fromQuery('v=1', schema).state, schema)).toBe('');
  });

  it('of a newer page is read as far as it can be, and said to be newer', () => {
    const schema = termsFor(subjectOf('geist-2005-nfs'));
    const { state, rejected } = fromQuery('v=2&mtu_bytes=1500&hologram=on', schema);
    expect(state.y).toBe(1500);
    expect(rejected.map((r) => r.name)).toEqual(['v', 'hologram']);
    expect(rejected[0].reason).toMatch(/newer page/);
  });
});

describe('an embed that stands in somebody’s page', () => {
  it.each(embeds.map((e) => [e.embed, e] as const))('%s', (embed, { view, of, sliders, theme }) => {
    expect(isEmbed(embed)).toBe(true);
    expect(viewPath(embed)).toBe(view);
    expect(canEmbed(view)).toBe(true);
    const query = embed.split('?')[1] ?? '';
    expect(slidersAsked(query)).toBe(sliders);
    expect(new URLSearchParams(query).get('theme') ?? 'auto').toBe(theme);
    expect(embedPath(view, { sliders, theme: theme as 'auto' })).toBe(embed.replace(/[?&]theme=auto/, ''));
    // options of the frame are no complaint to the view within
    if (of) expect(fromQuery(query, termsFor(subjectOf(of))).rejected).toEqual([]);
  });
});
