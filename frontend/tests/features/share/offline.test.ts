// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../build/offline';
import { embeddable, filled, type Kept } from '../../../src/features/share/offline';

const NASTY = '</script><script>alert(1)</script><!-- \u2028 $& & ]]>';

const kept: Kept = {
  format: 1,
  title: `<b>${NASTY}`,
  path: '/explorer/paper',
  query: 'x=80',
  original: 'http://127.0.0.1:8000/explorer/paper?x=80',
  home: 'http://127.0.0.1:8000/',
  exported_at: '2026-01-02T03:04:05Z',
  version: '0.1.0',
  source: { kind: 'published', citation: NASTY, licence: null },
  answers: { 'experiments/paper.json': { title: NASTY } },
};

const SCRIPT = 'const close = "</script>", open = "<!--";';

describe('the offline document', () => {
  const empty = documentOf(SCRIPT, 'p { color: red }');

  it('runs its own scripts alone, by their hashes, and fetches nothing', () => {
    const policy = /content="(default-src[^"]*)"/.exec(empty)?.[1] ?? '';
    const scripts = [...empty.matchAll(/<script(?: type="module")?>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
    expect(scripts).toHaveLength(2);
    for (const text of scripts)
      expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http/);
  });

  it('holds whatever the data says as data', () => {
    const page = filled(empty, kept);
    expect(page.match(/<script/g)).toHaveLength(3);
    expect(page.match(/<\/script>/g)).toHaveLength(3);
    const data = /id="kept">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual(kept);
    expect(page).toContain('<title>&lt;b&gt;&lt;/script&gt;');
  });

  it('is refused where it is something else', () => {
    expect(() => filled('<!doctype html><p>Welcome', kept)).toThrow('no place for a view');
  });
});

describe('embeddable', () => {
  it('has no character that HTML or an older JavaScript reads otherwise', () => {
    expect(embeddable(NASTY)).not.toMatch(/[<>&\u2028\u2029]/);
    expect(JSON.parse(embeddable(NASTY))).toBe(NASTY);
  });
});
