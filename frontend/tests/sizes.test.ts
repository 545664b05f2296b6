// SPDX-License-Identifier: Apache-2.0
// Where sizes and colours are said: in the tokens. Text follows the reader's text size, and two widths have names.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TEXT } from '../src/plots/shapes';
import { LIGHT } from './tokens';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => `src/${file}`);
const sheets = files.filter((file) => file.endsWith('.css'));
const scripts = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
const read = (file: string): string => readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');

/** Text in pixels, in a sheet or in a script's style. */
const PIXEL_TEXT = /\bfont(?:-size)?:[^;}]*\dpx|\bfontSize:\s*['"`][^'"`]*\dpx/g;
/** A width or height that a media query names itself. */
const BARE_WIDTH = /@media[^{]*\b(?:width|height)\b[^{]*/g;
const breakpoints = 'src/components/breakpoints.css';

const found = (names: readonly string[], pattern: RegExp): string[] =>
  names.flatMap((file) => (read(file).match(pattern) ?? []).map((fault) => `${file}: ${fault}`));

it('sets no text in pixels', () => expect(found([...sheets, ...scripts], PIXEL_TEXT)).toEqual([]));

/** Text that is smaller than what it stands in, with no least size. */
const SHRINKING_TEXT = /\bfont-size:\s*0?\.\d+em/g;

it('lets no text that follows other text become too small', () => {
  expect(found(sheets, SHRINKING_TEXT)).toEqual([]);
  expect('sup { font-size: 0.66em }'.match(SHRINKING_TEXT)).not.toBeNull();
  expect('sup { font-size: max(0.66em, var(--text-least)) }'.match(SHRINKING_TEXT)).toBeNull();
});

it('asks for widths by their names, which are two, both used and imported where they are', () => {
  expect(found(sheets, BARE_WIDTH)).toEqual([]);
  const names = [...read(breakpoints).matchAll(/@custom-media (--[\w-]+)/g)].map(([, name]) => name);
  expect(names).toEqual(['--one-column', '--folded']);
  const using = sheets.filter((file) => /@media[^{]*\(--/.test(read(file)));
  const asked = new Set(using.flatMap((file) => read(file).match(/(?<=@media[^{]*\()--[\w-]+/g) ?? []));
  expect([...asked].sort()).toEqual([...names].sort());
  const importing = sheets.filter((file) => /@import "[./]*(?:components\/)?breakpoints\.css"/.test(read(file)));
  expect(importing).toEqual(using);
});

it('finds both where they are', () => {
  for (const fault of ['a { font: 12px/1 x }', 'a { font-size: 9.5px }', "{ fontSize: '12px' }"])
    expect(fault.match(PIXEL_TEXT)).not.toBeNull();
  for (const fault of ['@media (max-width: 760px) {', '@media screen and (30rem < width) {'])
    expect(fault.match(BARE_WIDTH)).not.toBeNull();
  expect('@media (--folded) { a { border: 1px solid; font-size: 1rem } }'.match(PIXEL_TEXT)).toBeNull();
});

/** A colour by its value; `none`, `transparent`, `currentColor` and the system's colours are no colours of the page. */
const COLOUR = /#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(/gi;

/** The same in a script's text: not after a bracket or a word, where it is the name of an element. */
const SCRIPT_COLOUR =
  /(?<=['"`\s])#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})(?![\w-])|['"`\s](?:rgba?|hsla?|oklab|oklch)\(/gi;

it('names each colour of a style sheet by its token', () => {
  expect(
    found(
      sheets.filter((file) => !file.endsWith('tokens.css')),
      COLOUR,
    ),
  ).toEqual([]);
  expect(found(['src/app/tokens.css'], COLOUR).length).toBeGreaterThan(50);
});

it('names each colour of a script by its token', () => {
  // what the page says of colours of its own: none but comments, which name no tokens
  expect(found(scripts, SCRIPT_COLOUR)).toEqual([]);
  for (const fault of ["fill: '#fff'", '`#12211f`', "'rgb(18 33 31 / 0.45)'", "'1px solid #101413'"])
    expect(fault.match(SCRIPT_COLOUR)).not.toBeNull();
  for (const none of ["new RegExp('#[0-9a-f]{6}')", "'#recent'", "return '#' + channels", "'url(#surface)'"])
    expect(none.match(SCRIPT_COLOUR)).toBeNull();
});

it('draws no text smaller than the least of the page', () => {
  expect(LIGHT['--text-least']).toBe(`${TEXT.label / 16}rem`);
  expect(Math.min(...Object.values(TEXT))).toBe(TEXT.label);
  expect(found(scripts, /'?font-size'?:\s*\d+/g)).toEqual([]);
});

/** Room for words by a width of letters that does not follow the size of drawn text. */
const PIXEL_LETTERS =
  /\.length\)? \* (?:\([a-z ?]+)?\d+\.\d|\b[1-9]\.\d+ \* \w+\.length|\b(?:LETTER|DIGIT|\w*CHARACTER) = \d\S*/g;

it('takes widths of letters from the size of drawn text', () => {
  expect(found(scripts, PIXEL_LETTERS)).toEqual([]);
  for (const fault of ['s.words.length * 5.6', 'words.length * (bold ? 6.4 : 6)', '7.1 * words.length', 'DIGIT = 6.6;'])
    expect(fault.match(PIXEL_LETTERS)).not.toBeNull();
});

/** Stops of the scales, which tables of colours are made from: their tests compare them. */
const STOPS = /^--surface-\d$/;

it('has no size without a token, nor a token that nothing uses', () => {
  const tokens = read('src/app/tokens.css');
  const defined = new Set(tokens.match(/--[a-z][\w-]*(?=:)/g));
  const text = [...sheets, ...scripts].map(read).join('\n');
  const used = new Set(text.match(/(?<=var\()--[a-z][\w-]*/g));
  const own = new Set(
    sheets
      .filter((file) => !file.endsWith('tokens.css'))
      .flatMap((file) => read(file).match(/--[a-z][\w-]*(?=:)/g) ?? []),
  );
  // a name may be put together: --mtu- and a number
  const begun = (name: string) => name.endsWith('-') && [...defined].some((token) => token.startsWith(name));
  expect([...used].filter((name) => !defined.has(name) && !own.has(name) && !begun(name))).toEqual([]);
  const named = new Set(text.match(/['"`(]--[a-z][\w-]*/g)?.map((name) => name.slice(1)));
  const built = [...named].filter(begun);
  expect(
    [...defined].filter(
      (name) => !STOPS.test(name) && !named.has(name) && !built.some((start) => name.startsWith(start)),
    ),
  ).toEqual([]);
});
