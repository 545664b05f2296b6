// SPDX-License-Identifier: Apache-2.0
// Which runs are listed, in which order, with which measures: to address and back. docs/addresses.md has the names. No DOM.
import type { Experiment, RunList, RunState, RunWarnings } from '../../api/types';
import { type Field, type Form, field, oneOf, orNull, type Part, part, queryOf, readFields } from '../../state/fields';
import { levelsIn, levelsText } from '../../state/levels';
import { Reader, type Rejected } from '../../state/reader';
import { chosenFew, STATE_WORDS, WARNING_WORDS } from './messages';

export const PAGE = 100;
export const STATES = Object.keys(STATE_WORDS) as RunState[];
export const WARNINGS = Object.keys(WARNING_WORDS) as RunWarnings[];
/** Orders that every experiment has; the others are its factors and its measures. */
export const ORDERS = ['stored', 'recorded', 'replicate'] as const;

export interface Listing {
  /** Levels as an address has them, by factor; several joined by commas. */
  readonly where: Readonly<Record<string, string>>;
  readonly state: RunState | null;
  readonly warnings: RunWarnings | null;
  readonly sort: string;
  /** The largest first. */
  readonly falling: boolean;
  /** The only cell that is looked at. */
  readonly cell: number | null;
  /** Place of the first run on this page. */
  readonly from: number;
  /** The measures that have a column. */
  readonly show: readonly string[];
}

/** What the list depends on. */
export type Listed = Pick<Experiment, 'factors' | 'measures' | 'default_view'>;

const FOREIGN = ['theme'];
const MOST = 2 ** 53;

const namesOf = (all: readonly { readonly name: string }[]): string[] => all.map(({ name }) => name);

/** Every run as it was stored: what an address without parameters means. */
export const everyRun = ({ measures, default_view }: Listed): Listing => ({
  where: {},
  state: null,
  warnings: null,
  sort: 'stored',
  falling: false,
  cell: null,
  from: 0,
  show: chosenFew(measures, default_view?.measure),
});

export const sortsOf = ({ factors, measures }: Listed): string[] => [
  ...ORDERS,
  ...namesOf(factors),
  ...namesOf(measures),
];

/** Whether some of the runs may be left out. */
export const isFiltered = ({ where, state, warnings, cell }: Listing): boolean =>
  Object.keys(where).length > 0 || state !== null || warnings !== null || cell !== null;

/** Under the names of the factors. */
const levels: Field<Listing, Listed> = {
  names: [],
  read(reader, listing, { factors }) {
    const where: Record<string, string> = {};
    for (const { name, levels } of factors) {
      const asked = reader.takeAll(name);
      if (asked.length === 0) continue;
      const chosen = levelsIn(asked.join(), levels);
      if (chosen === null) reader.reject(name, asked.join(), 'has no such level');
      else if (levelsText(chosen, levels) !== '') where[name] = levelsText(chosen, levels);
    }
    return { ...listing, where };
  },
  keep: (old, listing) => ({ ...listing, where: old.where }),
  write(query, { where }) {
    for (const [name, level] of Object.entries(where)) query.set(name, level);
  },
};

type Order = Pick<Listing, 'sort' | 'falling'>;

const order: Part<Listing, Order> = {
  get: ({ sort, falling }) => ({ sort, falling }),
  put: (listing, next) => ({ ...listing, ...next }),
};

const sortText = ({ sort, falling }: Order): string => `${falling ? '-' : ''}${sort}`;

const sorted: Form<Order, Listing, Listed> = {
  parse(text, _, of) {
    const sort = text.replace(/^-/, '');
    return sortsOf(of).includes(sort)
      ? { value: { sort, falling: text !== sort } }
      : 'is nothing that runs can be sorted by';
  },
  text: sortText,
  keep: (value) => value,
};

const columns: Form<Listing['show'], Listing, Listed> = {
  parse(text, _, { measures }) {
    const asked = text === '' ? [] : text.split(',');
    const strange = asked.find((name) => !namesOf(measures).includes(name));
    return strange === undefined ? { value: [...new Set(asked)] } : `names ${strange}, which is not measured here`;
  },
  text: (show) => show.join(),
  keep: (value) => value,
};

const whole = (lo: number): Form<number> => ({
  parse(text) {
    const v = Number(text);
    return /^\d+$/.test(text) && v >= lo && v <= MOST ? { value: v } : 'is not a whole number that can stand there';
  },
  text: String,
  keep: (value) => value,
});

const says = <N extends keyof Listing>(name: N, form: Form<Listing[N], Listing, Listed>): Field<Listing, Listed> =>
  field(name, part(name), form);

/** What an address may say, in the order in which it says it. */
export const FIELDS: readonly Field<Listing, Listed>[] = [
  levels,
  says('state', orNull(oneOf(STATES, 'is not a state of a run'))),
  says('warnings', orNull(oneOf(WARNINGS, 'is neither some nor none'))),
  field('sort', order, sorted),
  says('show', columns),
  says('cell', orNull(whole(1))),
  says('from', whole(0)),
];

/** The list that an address means, and what of it could not be used. */
export function readListing(query: string, of: Listed): { listing: Listing; rejected: readonly Rejected[] } {
  const reader = new Reader(query, FOREIGN);
  reader.version();
  const listing = readFields(FIELDS, reader, everyRun(of), of);
  reader.rest();
  return { listing, rejected: reader.rejected };
}

/** The query of its address, without the question mark. */
export const toQuery = (listing: Listing, of: Listed): string => queryOf(FIELDS, listing, everyRun(of), of);

/** What the server is asked for one page of it. */
export function requestOf(listing: Listing): RunList {
  const { where, state, warnings, cell, from } = listing;
  return {
    limit: PAGE,
    offset: from,
    ...(cell === null ? {} : { cell }),
    ...(state === null ? {} : { state }),
    ...(warnings === null ? {} : { warnings }),
    ...(sortText(listing) === 'stored' ? {} : { sort: sortText(listing) }),
    ...(Object.keys(where).length > 0 ? { where } : {}),
  };
}

/** The order after a press on a column: rising, falling, as stored. */
export function sortedBy({ sort, falling }: Listing, name: string): Pick<Listing, 'sort' | 'falling'> {
  if (sort !== name) return { sort: name, falling: false };
  return falling ? { sort: 'stored', falling: false } : { sort: name, falling: true };
}
