// SPDX-License-Identifier: Apache-2.0
// Which runs are listed, in which order, with which measures: to address and back. docs/addresses.md has the names. No DOM.
import type { RunList } from '../../api/queries';
import type { Experiment } from '../../api/types';
import { Reader, type Rejected } from '../../state/reader';
import { chosenFew } from './words';

export const PAGE = 100;
export const STATES = ['current', 'whole', 'partial', 'retracted'] as const;
export const WARNINGS = ['some', 'none'] as const;
/** Orders that every experiment has; the others are its factors and its measures. */
export const ORDERS = ['stored', 'recorded', 'replicate'] as const;

export type State = (typeof STATES)[number];

export interface Listing {
  /** Levels as an address has them, by factor. */
  readonly where: Readonly<Record<string, string>>;
  readonly state: State | null;
  readonly warnings: (typeof WARNINGS)[number] | null;
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

function readWhere(reader: Reader, { factors }: Listed): Record<string, string> {
  const where: Record<string, string> = {};
  for (const { name, levels } of factors) {
    const level = reader.oneOf(name, levels.map(String), null, 'has no such level');
    if (level !== null) where[name] = level;
  }
  return where;
}

function readSort(reader: Reader, of: Listed): Pick<Listing, 'sort' | 'falling'> {
  const known = sortsOf(of);
  const both = known.flatMap((name) => [name, `-${name}`]);
  const sort = reader.oneOf('sort', both, 'stored', 'is nothing that runs can be sorted by');
  return { sort: sort.replace(/^-/, ''), falling: sort.startsWith('-') };
}

function readShow(reader: Reader, of: Listed, few: readonly string[]): readonly string[] {
  const known = namesOf(of.measures);
  return reader.take<readonly string[]>('show', few, (text) => {
    const asked = text === '' ? [] : text.split(',');
    const strange = asked.find((name) => !known.includes(name));
    return strange === undefined ? [...new Set(asked)] : `names ${strange}, which is not measured here`;
  });
}

function readWhole(reader: Reader, name: string, lo: number): number | null {
  return reader.take<number | null>(name, null, (text) => {
    const v = Number(text);
    return /^\d+$/.test(text) && v >= lo && v <= MOST ? v : 'is not a whole number that can stand there';
  });
}

/** The list that an address means, and what of it could not be used. */
export function readListing(query: string, of: Listed): { listing: Listing; rejected: readonly Rejected[] } {
  const reader = new Reader(query, FOREIGN);
  const start = everyRun(of);
  reader.version();
  const listing: Listing = {
    where: readWhere(reader, of),
    state: reader.oneOf('state', STATES, null, 'is not a state of a run'),
    warnings: reader.oneOf('warnings', WARNINGS, null, 'is neither some nor none'),
    ...readSort(reader, of),
    cell: readWhole(reader, 'cell', 1),
    from: readWhole(reader, 'from', 0) ?? 0,
    show: readShow(reader, of, start.show),
  };
  reader.rest();
  return { listing, rejected: reader.rejected };
}

const sortText = ({ sort, falling }: Listing): string => `${falling ? '-' : ''}${sort}`;

/** The query of its address, without the question mark. */
export function toQuery(listing: Listing, of: Listed): string {
  const { where, state, warnings, cell, from, show } = listing;
  const query = new URLSearchParams(where);
  if (state !== null) query.set('state', state);
  if (warnings !== null) query.set('warnings', warnings);
  if (sortText(listing) !== 'stored') query.set('sort', sortText(listing));
  if (show.join() !== everyRun(of).show.join()) query.set('show', show.join());
  if (cell !== null) query.set('cell', String(cell));
  if (from !== 0) query.set('from', String(from));
  return query.toString().replaceAll('%2C', ',');
}

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
