// SPDX-License-Identifier: Apache-2.0
// What the workshop shows, to address and back: `?set=alpha:0.8&at=delay_us:40&pull=alpha&experiment=SLUG&response=latency_us&free=alpha`.
// Names are a stranger's own, so they stand in values, never as parameters. No DOM.
import { isSlug } from '../../state/figure';
import { Reader, type Rejected } from '../../state/reader';

/** A fit as it was asked for: of the parameters, what is not found and not held has its default. */
export interface AskedFit {
  readonly experiment: string;
  readonly response: string;
  readonly free: readonly string[];
  readonly held: Readonly<Record<string, number>>;
  /** Levels as text, by factor. */
  readonly where: Readonly<Record<string, string>>;
}

export interface Shown {
  readonly output: string | null;
  /** Where the crosshair stands, by the inputs that are axes. */
  readonly at: Readonly<Record<string, number>>;
  /** Sliders that were moved. */
  readonly set: Readonly<Record<string, number>>;
  /** The parameter that a pull moves. */
  readonly pull: string | null;
  readonly fit: AskedFit | null;
}

export const FIRST: Shown = { output: null, at: {}, set: {}, pull: null, fit: null };

const FOREIGN = ['model', 'theme'];
const MOST = 64;
const IDENTIFIER = /^[A-Za-z_]\w{0,79}$/;
const NAME = /^[A-Za-z_][\w.]{0,79}$/;

/** Levels that are text may hold what parts them. */
const written = (value: number | string): string =>
  typeof value === 'number' ? String(value) : encodeURIComponent(value);
const listed = (pairs: Readonly<Record<string, number | string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}:${written(value)}`)
    .join(',');

/** `a:1,b:2`, or what is wrong with it. Objects without a prototype: a name may be anything. */
function pairs<T>(text: string, read: (value: string) => T | null): Readonly<Record<string, T>> | string {
  const found: Record<string, T> = Object.create(null);
  const parts = text.split(',');
  if (parts.length > MOST) return `has more than ${MOST} names`;
  for (const part of parts) {
    const [name, value, ...more] = part.split(':');
    const own = value === undefined || more.length > 0 ? null : read(value);
    if (!NAME.test(name) || own === null || name in found) return 'is no list of names with their values';
    found[name] = own;
  }
  return { ...found };
}

function number(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  // −0 would not come back from an address
  return Number.isFinite(value) ? value || 0 : null;
}

function word(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const numbers = (reader: Reader, name: string) =>
  reader.take<Readonly<Record<string, number>>>(name, {}, (text) => pairs(text, number));

function names(reader: Reader, name: string): readonly string[] {
  return reader.take<readonly string[]>(name, [], (text) => {
    const found = text.split(',');
    return found.length <= MOST && found.every((each) => IDENTIFIER.test(each)) ? found : 'is no list of names';
  });
}

const one = (reader: Reader, name: string, fits: (text: string) => boolean, reason: string): string | null =>
  reader.take<{ text: string } | null>(name, null, (text) => (fits(text) ? { text } : reason))?.text ?? null;

function readFit(reader: Reader): AskedFit | null {
  const experiment = one(reader, 'experiment', isSlug, 'is not the name of an experiment');
  const response = one(reader, 'response', (text) => NAME.test(text), 'is not the name of a measure');
  const free = names(reader, 'free');
  const held = numbers(reader, 'held');
  const where = reader.take<Readonly<Record<string, string>>>('where', {}, (text) => pairs(text, word));
  if (experiment === null) return null;
  if (response !== null && free.length > 0) return { experiment, response, free, held, where };
  reader.reject('experiment', experiment, 'comes without what is compared, or what is to be found');
  return null;
}

/** What an address means, and what of it could not be used. Whether the model has these names, the model says. */
export function readShown(query: string): { shown: Shown; rejected: readonly Rejected[] } {
  const reader = new Reader(query, FOREIGN);
  reader.version();
  const isName = (text: string): boolean => IDENTIFIER.test(text);
  const shown: Shown = {
    output: one(reader, 'output', isName, 'cannot be the name of an output'),
    at: numbers(reader, 'at'),
    set: numbers(reader, 'set'),
    pull: one(reader, 'pull', isName, 'cannot be the name of a parameter'),
    fit: readFit(reader),
  };
  reader.rest();
  return { shown, rejected: reader.rejected };
}

/** The query of its address, without the question mark. `model`: of the catalogue, where the text is from. */
export function toQuery({ output, at, set, pull, fit }: Shown, model: string | null): string {
  const says: readonly (readonly [string, string])[] = [
    ['model', model ?? ''],
    ['output', output ?? ''],
    ['at', listed(at)],
    ['set', listed(set)],
    ['pull', pull ?? ''],
    ['experiment', fit?.experiment ?? ''],
    ['response', fit?.response ?? ''],
    ['free', fit?.free.join() ?? ''],
    ['held', listed(fit?.held ?? {})],
    ['where', listed(fit?.where ?? {})],
  ];
  const query = new URLSearchParams(says.filter(([, words]) => words !== '').map(([name, words]) => [name, words]));
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}
