// SPDX-License-Identifier: Apache-2.0
// What the workshop shows, to address and back: `?set=alpha:0.8&at=delay_us:40&pull=alpha&experiment=SLUG&response=latency_us&free=alpha`.
// Names are a stranger's own, so they stand in values, never as parameters. No DOM.
import {
  type Field,
  type Form,
  field,
  matching,
  oneOf,
  orNull,
  part,
  queryOf,
  readFields,
  written,
} from '../../state/fields';
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
  /** Given where outlying runs were not to move it. */
  readonly robust?: true;
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

const MOST = 64;
const IDENTIFIER = /^[A-Za-z_]\w{0,79}$/;
const NAME = /^[A-Za-z_][\w.]{0,79}$/;

/** Levels that are text may hold what parts them. */
const textOf = (value: number | string): string =>
  typeof value === 'number' ? String(value) : encodeURIComponent(value);
const listed = (pairs: Readonly<Record<string, number | string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}:${textOf(value)}`)
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

function namesIn(text: string): readonly string[] | string {
  const found = text.split(',');
  return found.length <= MOST && found.every((each) => IDENTIFIER.test(each)) ? found : 'is no list of names';
}

/** What an address says, one part for each parameter. */
interface Said {
  /** Of the catalogue, where the text is from. */
  readonly model: string | null;
  readonly output: string | null;
  readonly at: Readonly<Record<string, number>>;
  readonly set: Readonly<Record<string, number>>;
  readonly pull: string | null;
  readonly experiment: string | null;
  readonly response: string | null;
  readonly free: readonly string[];
  readonly held: Readonly<Record<string, number>>;
  readonly where: Readonly<Record<string, string>>;
  readonly method: 'robust' | null;
}

const SILENT: Said = {
  ...{ model: null, output: null, at: {}, set: {}, pull: null },
  ...{ experiment: null, response: null, free: [], held: {}, where: {}, method: null },
};

const says = <N extends keyof Said>(name: N, form: Form<Said[N]>): Field<Said, null> =>
  field<Said, null, Said[N]>(name, part<Said, N>(name), form);
const identifier = (reason: string) => orNull(matching((text) => IDENTIFIER.test(text), reason));
const numbers = written<Readonly<Record<string, number>>>((text) => pairs(text, number), listed);

/** What an address may say, in the order in which it says it. */
export const FIELDS: readonly Field<Said, null>[] = [
  says('model', orNull(matching(() => true, ''))),
  says('output', identifier('cannot be the name of an output')),
  says('at', numbers),
  says('set', numbers),
  says('pull', identifier('cannot be the name of a parameter')),
  says('experiment', orNull(matching(isSlug, 'is not the name of an experiment'))),
  says('response', orNull(matching((text) => NAME.test(text), 'is not the name of a measure'))),
  says(
    'free',
    written(namesIn, (names) => names.join()),
  ),
  says('held', numbers),
  says(
    'where',
    written<Said['where']>((text) => pairs(text, word), listed),
  ),
  says('method', orNull(oneOf(['robust'], 'is not a method'))),
];

function fitOf({ experiment, response, free, held, where, method }: Said, reader: Reader): AskedFit | null {
  if (experiment === null) return null;
  if (response !== null && free.length > 0)
    return { experiment, response, free, held, where, ...(method === null ? {} : { robust: true }) };
  reader.reject('experiment', experiment, 'comes without what is compared, or what is to be found');
  return null;
}

/** What an address means, and what of it could not be used. Whether the model has these names, the model says. */
export function readShown(query: string): { shown: Shown; rejected: readonly Rejected[] } {
  const reader = new Reader(query, ['theme']);
  reader.version();
  const said = readFields(FIELDS, reader, SILENT, null);
  const { output, at, set, pull } = said;
  const shown: Shown = { output, at, set, pull, fit: fitOf(said, reader) };
  reader.rest();
  return { shown, rejected: reader.rejected };
}

/** The query of its address, without the question mark. */
export function toQuery({ fit, ...shown }: Shown, model: string | null): string {
  const said: Said = { ...SILENT, model, ...shown, ...fit, method: fit?.robust ? 'robust' : null };
  return queryOf(FIELDS, said, SILENT, null);
}
