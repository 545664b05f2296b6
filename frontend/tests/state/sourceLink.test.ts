// SPDX-License-Identifier: Apache-2.0
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { sourceOf, TEMPLATE } from '../../src/engine/sources';
import { fromFragment, LinkRefused, LONGEST_FRAGMENT, LONGEST_SOURCE, toFragment } from '../../src/state/sourceLink';

const packed = (text: string | Buffer): string => `python=${deflateRawSync(text).toString('base64url')}`;

describe('a text in a link', () => {
  it.each(['', 'def f(a, *, xp):\n    return {"y": a}\n', '# µs – “words” 🙂\u0000\r\n\tx', '\ufeff# mark'])(
    'comes back as it was: %j',
    async (text) => {
      const fragment = (await toFragment(text)) as string;
      expect(fragment).toMatch(/^python=[A-Za-z0-9_-]+$/);
      expect(await fromFragment(fragment)).toBe(text);
    },
  );

  it('holds every model that one can start from', async () => {
    for (const id of [TEMPLATE, ...catalogue.models.map((m) => m.id)]) {
      const text = (await sourceOf(id))?.text ?? '';
      expect(await fromFragment((await toFragment(text)) as string)).toBe(text);
    }
  });

  it('is not made when it would be too long', async () => {
    const noise = Array.from({ length: 12_000 }, (_, k) => String.fromCharCode(33 + ((k * k * 7919) % 90))).join('');
    const random = Array.from(noise, (c, k) => (Math.sin(k) > 0 ? c : String(k))).join('');
    expect(await toFragment(random)).toBeNull();
    expect(await toFragment('x'.repeat(LONGEST_SOURCE + 1))).toBeNull();
    expect(await toFragment('x'.repeat(LONGEST_SOURCE))).not.toBeNull();
  });

  it('opens a link made by this version for good', async () => {
    const text = "def f(a, *, xp):\n    return {'y': a}\n";
    expect(await fromFragment('python=S0lNU0jTSNRR0NJRqCjQtOJSAIKi1JLSojyFavVKdSuFxFouAA')).toBe(text);
  });

  it('leaves other fragments alone', async () => {
    expect(await fromFragment('')).toBeNull();
    expect(await fromFragment('main')).toBeNull();
  });

  it.each([
    ['empty', 'python='],
    ['other letters', 'python=<script>'],
    ['no compressed text', 'python=AAAA'],
    ['cut off', packed('def f(a, b, c): return 1 # some words').slice(0, -8)],
    ['no text', packed(Buffer.from([0xff, 0xfe, 0x80]))],
    ['a bomb', packed('x'.repeat(5_000_000))],
    ['longer than a text may be', packed('x'.repeat(LONGEST_SOURCE + 1))],
    ['too long', `python=${'A'.repeat(LONGEST_FRAGMENT)}`],
  ])('is refused when it is %s', async (_, fragment) => {
    await expect(fromFragment(fragment)).rejects.toBeInstanceOf(LinkRefused);
  });

  it('never breaks on anything', async () => {
    for (let k = 0; k < 300; k++) {
      const letters = Array.from({ length: k % 40 }, (_, i) => 'ABCxyz019-_='[(k * 31 + i * i * 17) % 12]).join('');
      await fromFragment(`python=${letters}`).catch((error) => expect(error).toBeInstanceOf(LinkRefused));
    }
  });
});
