// SPDX-License-Identifier: Apache-2.0
// Explorer state to address and back: one pair of pure functions over strings. An address names only what differs from the default, and
// a parameter that cannot be read falls back alone.
import type { FactorValue } from '../api/types';
import {
  type ExplorerState,
  METHODS,
  type ModelTerms,
  type Rejected,
  type SliceTerms,
  stateFor,
  type Terms,
} from './explorer';
import { CONTRASTS, FIGURES, isSlug, readTurn, sameTurn, type Turn, turnText } from './figure';
import { MOST_PINS, type Pin, pinText, readPin, suits } from './pins';

/** Parameters of the page that are not the explorer's. */
const FOREIGN = new Set(['theme', 'bench']);

const number = (v: number): string => String(v);

function sameLevels(a: readonly number[] | null, b: readonly number[] | null): boolean {
  return a === b || (a !== null && b !== null && a.length === b.length && a.every((v, i) => v === b[i]));
}

/** Pins of another model stay in hand, and out of the address. */
function pinsShown(state: ExplorerState, slice: SliceTerms): readonly Pin[] {
  if (state.pins.length === 0) return [];
  const models = slice.models(state.measure);
  const sliders = (models.find((m) => m.id === state.model) ?? models[0])?.sliders ?? [];
  return state.pins.filter((pin) => suits(pin, sliders));
}

/** The query of an address, without the question mark. */
export function toQuery(state: ExplorerState, terms: Terms): string {
  const query = new URLSearchParams();
  const start = stateFor(terms, state.where);
  const slice = terms.slice(state.where);
  for (const { name } of terms.choices)
    if (state.where[name] !== terms.defaults.where[name]) query.set(name, String(state.where[name]));
  if (state.measure !== start.measure) query.set('measure', state.measure);
  if (state.surface !== start.surface) query.set('surface', state.surface);
  if (state.figure !== start.figure) query.set('view', state.figure);
  if (!sameTurn(state.turn, start.turn)) query.set('turn', turnText(state.turn));
  if (state.contrast !== start.contrast) query.set('contrast', state.contrast);
  if (state.against !== null) query.set('against', state.against);
  if (state.model !== null) query.set('model', state.model);
  if (state.method !== start.method) query.set('fit', state.method);
  if (state.frames !== start.frames) query.set('frames', state.frames);
  if (!sameLevels(state.lines, start.lines))
    query.set('lines', state.lines?.length ? state.lines.map(number).join(',') : 'none');
  if (slice.y && state.y !== null && state.y !== start.y) query.set(slice.y.name, number(state.y));
  if (slice.x && state.x !== null && state.x !== start.x) query.set(slice.x.name, number(state.x));
  for (const [name, value] of Object.entries(state.byHand)) query.set(name, number(value));
  for (const pin of pinsShown(state, slice)) query.append('pin', pinText(pin));
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

export interface Read {
  readonly state: ExplorerState;
  readonly rejected: readonly Rejected[];
}

/** Takes parameters one at a time, and keeps what it could not use. */
class Reader {
  private readonly left: Map<string, string>;
  private readonly pins: readonly string[];
  readonly rejected: Rejected[] = [];

  constructor(query: string) {
    this.left = new Map(new URLSearchParams(query));
    for (const name of FOREIGN) this.left.delete(name);
    this.pins = new URLSearchParams(query).getAll('pin');
    this.left.delete('pin');
  }

  take<T>(name: string, fallback: T, read: (text: string) => T | string, isError: (v: T | string) => v is string): T {
    const text = this.left.get(name);
    if (text === undefined) return fallback;
    this.left.delete(name);
    const value = read(text);
    if (!isError(value)) return value;
    this.rejected.push({ name, value: text, reason: value });
    return fallback;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T, what: string): T {
    const text = this.left.get(name);
    if (text === undefined) return fallback;
    this.left.delete(name);
    const found = allowed.find((a) => a === text);
    if (found === undefined) this.rejected.push({ name, value: text, reason: what });
    return found ?? fallback;
  }

  /** Null where the parameter is absent or cannot be used. */
  number(name: string, lo: number, hi: number): number | null {
    return this.take<number | null>(
      name,
      null,
      (text) => {
        const v = text.trim() === '' ? Number.NaN : Number(text);
        if (!Number.isFinite(v)) return 'is not a number';
        return v < lo || v > hi ? `is not between ${lo} and ${hi}` : v;
      },
      (v): v is string => typeof v === 'string',
    );
  }

  /** The only parameter that may be there several times. */
  everyPin(sliders: ModelTerms['sliders']): Pin[] {
    const pins: Pin[] = [];
    for (const value of this.pins) {
      const pin = pins.length < MOST_PINS ? readPin(value, sliders) : `is one more than ${MOST_PINS}`;
      if (typeof pin === 'string') this.rejected.push({ name: 'pin', value, reason: pin });
      else pins.push(pin);
    }
    return pins;
  }

  rest(): void {
    for (const [name, value] of this.left) this.rejected.push({ name, value, reason: 'is not known here' });
  }
}

function readWhere(reader: Reader, terms: Terms): Record<string, FactorValue> {
  const where: Record<string, FactorValue> = {};
  for (const { name, levels } of terms.choices) {
    const start = terms.defaults.where[name];
    const text = reader.oneOf(name, levels.map(String), String(start), 'has no such level');
    where[name] = levels.find((l) => String(l) === text) ?? start;
  }
  return where;
}

function readLines(reader: Reader, slice: SliceTerms, fallback: readonly number[] | null): readonly number[] | null {
  const levels = slice.y?.levels ?? [];
  return reader.take<readonly number[] | null>(
    'lines',
    fallback,
    (text) => {
      if (text === 'none') return [];
      const asked = text.split(',').map(Number);
      if (asked.some((v) => !levels.includes(v))) return 'names a setting that is not there';
      const kept = levels.filter((l) => asked.includes(l));
      return kept.length === levels.length ? null : kept;
    },
    (v): v is string => typeof v === 'string',
  );
}

function readModel(reader: Reader, models: readonly ModelTerms[]): string | null {
  const first = models[0]?.id ?? '';
  const id = reader.oneOf(
    'model',
    models.map((m) => m.id),
    first,
    'predicts nothing here',
  );
  return id === first ? null : id;
}

function readByHand(reader: Reader, model: ModelTerms | undefined): Record<string, number> {
  const byHand: Record<string, number> = {};
  for (const { name, lo, hi } of model?.sliders ?? []) {
    const value = reader.number(name, lo, hi);
    if (value !== null) byHand[name] = value;
  }
  return byHand;
}

function readFigure(
  reader: Reader,
  start: ExplorerState,
): Pick<ExplorerState, 'figure' | 'turn' | 'contrast' | 'against'> {
  const figure = reader.oneOf('view', FIGURES, start.figure, 'is not a figure');
  const contrast = reader.oneOf('contrast', CONTRASTS, start.contrast, 'is not a way to compare');
  const turn = reader.take<Turn>('turn', start.turn, readTurn, (v): v is string => typeof v === 'string');
  const slug = reader.take<{ slug: string | null }>(
    'against',
    { slug: start.against },
    (text) => (isSlug(text) ? { slug: text } : 'is not the name of an experiment'),
    (v): v is string => typeof v === 'string',
  );
  return { figure, turn, contrast, against: slug.slug };
}

/** The state an address means, and what of it could not be used. */
export function fromQuery(query: string, terms: Terms): Read {
  const reader = new Reader(query);
  const where = readWhere(reader, terms);
  const start = stateFor(terms, where);
  const slice = terms.slice(where);
  const measure = reader.oneOf('measure', slice.measures, start.measure, 'is not measured here');
  const surface = reader.oneOf(
    'surface',
    ['model', 'cells'] as const,
    start.surface,
    'is not a way to draw the surface',
  );
  const figure = readFigure(reader, start);
  const models = slice.models(measure);
  const model = readModel(reader, models);
  const method = reader.oneOf('fit', METHODS, start.method, 'is not a method');
  const frames = reader.oneOf('frames', ['counted', 'full'] as const, start.frames, 'is not a way to count frames');
  const lines = readLines(reader, slice, start.lines);
  const y = slice.y ? (reader.number(slice.y.name, slice.y.lo, slice.y.hi) ?? start.y) : null;
  const x = slice.x ? (reader.number(slice.x.name, slice.x.lo, slice.x.hi) ?? start.x) : null;
  const chosen = models.find((m) => m.id === model) ?? models[0];
  const byHand = readByHand(reader, chosen);
  const pins = reader.everyPin(chosen?.sliders ?? []);
  reader.rest();
  return {
    state: { where, measure, surface, ...figure, lines, x, y, model, method, frames, byHand, pins },
    rejected: reader.rejected,
  };
}
