// SPDX-License-Identifier: Apache-2.0
// A drawing as the text of an SVG file that stands alone.
import { raisedBy, raisedSize, type Shape, type Span } from './shapes';

const ENTITY: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeText = (s: string): string => s.replace(/[&<>"]/g, (c) => ENTITY[c]);

/** Tokens to values: `tokens` maps "--ink" to "#1a1b1a". An unknown one is an error, so that no file loses a colour. */
export function resolveTokens(value: string, tokens: Readonly<Record<string, string>>): string {
  const plain = value.replace(/var\((--[a-z0-9-]+)\)/g, (_, name: string) => {
    const found = tokens[name];
    if (!found) throw new Error(`the token ${name} has no value`);
    return found;
  });
  return plain.replace(MIX, mixed);
}

const MIX = /color-mix\(in srgb, #([0-9a-f]{6}) (\d+)%, #([0-9a-f]{6})\)/gi;

/** Files are read by programs that do not know color-mix(). */
function mixed(_: string, a: string, share: string, b: string): string {
  const t = Number(share) / 100;
  const part = (hex: string, at: number): number => Number.parseInt(hex.slice(at, at + 2), 16);
  const channels = [0, 2, 4].map((at) => Math.round(part(a, at) * t + part(b, at) * (1 - t)));
  return `#${channels.map((c) => c.toString(16).padStart(2, '0')).join('')}`;
}

function attributesText(
  attributes: Readonly<Record<string, string | number>>,
  tokens: Readonly<Record<string, string>>,
): string {
  return Object.entries(attributes)
    .filter(([k]) => !k.startsWith('data-'))
    .map(([k, v]) => ` ${k}="${escapeText(typeof v === 'string' ? resolveTokens(v, tokens) : String(v))}"`)
    .join('');
}

function spanText(span: Span, raised: boolean, size: number, tokens: Readonly<Record<string, string>>): string {
  const by = raisedBy(size);
  const shift = span.up ? ` dy="${-by}" font-size="${raisedSize(size)}"` : raised ? ` dy="${by}"` : '';
  return `<tspan${shift}${attributesText(span.attributes ?? {}, tokens)}>${escapeText(span.text)}</tspan>`;
}

export function shapeText(shape: Shape, tokens: Readonly<Record<string, string>>): string {
  const open = `<${shape.tag}${attributesText(shape.attributes, tokens)}`;
  if (shape.tag !== 'text') return `${open}/>`;
  const size = Number(shape.attributes['font-size'] ?? 16);
  const inside = shape.spans
    ? shape.spans.map((s, i, all) => spanText(s, i > 0 && all[i - 1].up === true, size, tokens)).join('')
    : escapeText(shape.text ?? '');
  return `${open}>${inside}</text>`;
}

/** Words in lines of at most so many letters; a longer word has a line of its own. */
export function wrapped(words: string, room: number): string[] {
  const lines: string[] = [''];
  for (const word of words.split(' ')) {
    const last = lines[lines.length - 1];
    if (last !== '' && last.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

export interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly description: string;
  /** Ready-made markup: definitions, the surface's image. */
  readonly before: string;
  readonly shapes: readonly Shape[];
  readonly tokens: Readonly<Record<string, string>>;
}

export function fileText(sheet: Sheet): string {
  const { width, height, tokens } = sheet;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"`,
    ` font-family="'IBM Plex Sans Variable', 'IBM Plex Sans', system-ui, 'Segoe UI', sans-serif" font-variant-numeric="tabular-nums">`,
    `<title>${escapeText(sheet.title)}</title>`,
    `<desc>${escapeText(sheet.description)}</desc>`,
    `<rect width="${width}" height="${height}" fill="${resolveTokens('var(--ground)', tokens)}"/>`,
    resolveTokens(sheet.before, tokens),
    ...sheet.shapes.map((s) => shapeText(s, tokens)),
    '</svg>',
  ].join('\n');
}
