// SPDX-License-Identifier: Apache-2.0
// A text in the fragment of an address, which no server sees: compressed, in letters that every program leaves alone, bounded both ways.

/** Characters of a text that the workshop takes at all. */
export const LONGEST_SOURCE = 60_000;
/** Characters of a fragment: with the rest of the address it fits into a short link, of 8,192 bytes. */
export const LONGEST_FRAGMENT = 7_900;
const KEY = 'python=';

export class LinkRefused extends Error {}

async function through(bytes: BlobPart, stream: CompressionStream | DecompressionStream, most: number) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new LinkRefused('it holds more than a text may have');
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function toLetters(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromLetters(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new LinkRefused('it was not copied whole');
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  } catch {
    throw new LinkRefused('it was not copied whole');
  }
}

/** The fragment for a text, without the number sign; null where it would be too long for a link. */
export async function toFragment(source: string): Promise<string | null> {
  if (source.length > LONGEST_SOURCE) return null;
  const packed = await through(source, new CompressionStream('deflate-raw'), 1e6);
  const fragment = KEY + toLetters(packed);
  return fragment.length > LONGEST_FRAGMENT ? null : fragment;
}

/** The text of a fragment; null where it names none. Throws LinkRefused. */
export async function fromFragment(fragment: string): Promise<string | null> {
  if (!fragment.startsWith(KEY)) return null;
  if (fragment.length > LONGEST_FRAGMENT) throw new LinkRefused('it is too long');
  const packed = fromLetters(fragment.slice(KEY.length));
  let bytes: Uint8Array;
  try {
    bytes = await through(packed, new DecompressionStream('deflate-raw'), 4 * LONGEST_SOURCE);
  } catch (error) {
    throw error instanceof LinkRefused ? error : new LinkRefused('it was not copied whole');
  }
  try {
    const source = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (source.length > LONGEST_SOURCE) throw new LinkRefused('it holds more than a text may have');
    return source;
  } catch (error) {
    throw error instanceof LinkRefused ? error : new LinkRefused('it is not text');
  }
}
