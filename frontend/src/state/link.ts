// SPDX-License-Identifier: Apache-2.0
// Explorer state to address and back: one pair of pure functions over strings. An address names only what differs from the default, and
// a parameter that cannot be read falls back alone. What an address of one version says, every later version reads alike: docs/addresses.md.
import type { FactorValue } from '../api/types';
import {
  type Advice,
  currentText,
  DIRECTIONS,
  GOALS,
  isDriver,
  isInterface,
  isKernel,
  type Limit,
  limitsText,
  readCurrent,
  readLimits,
  readWeights,
  SHOWN,
  START_ADVICE,
  weightsText,
} from './advice';
import {
  type AxisTerms,
  axesWith,
  type ExplorerState,
  METHODS,
  type ModelTerms,
  type SliceTerms,
  SURFACES,
  stateFor,
  type Terms,
} from './explorer';
import { CONTRASTS, FIGURES, isSlug, readTurn, sameTurn, type Turn, turnText } from './figure';
import { type Axes, type AxisScale, levelAt, NONE } from './layout';
import { MOST_PINS, type Pin, pinText, readPin, suits } from './pins';
import { Reader, type Rejected } from './reader';
import { successorOf } from './retired';

/** Parameters of the page that are not the explorer's. */
const FOREIGN = ['theme', 'without', 'sliders'];

const number = (v: number): string => String(v);

function sameLevels(a: readonly number[] | null, b: readonly number[] | null): boolean {
  return a === b || (a !== null && b !== null && a.length === b.length && a.every((v, i) => v === b[i]));
}

function slidersOf(state: ExplorerState, slice: SliceTerms): ModelTerms['sliders'] {
  const models = slice.models(state.measure);
  return (models.find((m) => m.id === state.model) ?? models[0])?.sliders ?? [];
}

/** Pins of another model, and what a pull moves there, stay in hand and out of the address. */
function writeByModel(query: URLSearchParams, state: ExplorerState, slice: SliceTerms): void {
  if (state.pins.length === 0 && state.pull === null) return;
  const sliders = slidersOf(state, slice);
  for (const pin of state.pins) if (suits(pin, sliders)) query.append('pin', pinText(pin));
  if (state.pull !== null && sliders.some((s) => s.name === state.pull)) query.set('pull', state.pull);
}

/** Levels that are text may hold the comma that parts them. */
function listed(axis: AxisTerms, values: readonly number[]): string {
  const words = values.map((v) => (axis.names ? encodeURIComponent(levelAt(axis, v)) : number(v))).join(',');
  return words === 'none' ? '%6Eone' : words;
}

function unlisted(axis: AxisTerms, text: string): readonly number[] {
  return text.split(',').map((part) => {
    if (!axis.names) return part.trim() === '' ? Number.NaN : Number(part);
    try {
      return axis.names.indexOf(decodeURIComponent(part));
    } catch {
      return -1;
    }
  });
}

function writeAxes(query: URLSearchParams, axes: Axes, terms: Terms): void {
  const own = terms.defaults.axes;
  const asked: { x?: string; facet?: string } = {};
  if (axes.x !== own.x) asked.x = axes.x;
  if (axes.facet !== NONE) asked.facet = axes.facet;
  if (asked.x !== undefined) query.set('x', asked.x);
  if (axes.y !== axesWith(terms, asked).y) query.set('y', axes.y);
  if (asked.facet !== undefined) query.set('facet', asked.facet);
  if (axes.xScale !== null) query.set('scale', axes.xScale);
  if (axes.yScale !== null) query.set('yscale', axes.yScale);
}

function writeAdvice(query: URLSearchParams, advice: Advice): void {
  const says: readonly (readonly [string, string])[] = [
    ['advice', advice.open ?? ''],
    ['goal', advice.goal ?? ''],
    ['weigh', weightsText(advice.weights)],
    ...DIRECTIONS.map(([name, direction]) => [name, limitsText(advice.limits, direction)] as const),
    ['now', currentText(advice.current)],
    ['interface', advice.interface === START_ADVICE.interface ? '' : advice.interface],
    ['driver', advice.driver ?? ''],
    ['kernel', advice.kernel ?? ''],
  ];
  for (const [name, words] of says) if (words !== '') query.set(name, words);
}

/** The query of an address, without the question mark. */
export function toQuery(state: ExplorerState, terms: Terms): string {
  const query = new URLSearchParams();
  const start = stateFor(terms, state);
  const slice = terms.slice(state);
  writeAxes(query, state.axes, terms);
  for (const choice of terms.choices(state.axes))
    if (state.where[choice.name] !== choice.start) query.set(choice.name, String(state.where[choice.name]));
  if (state.measure !== start.measure) query.set('measure', state.measure);
  if (state.surface !== start.surface) query.set('surface', state.surface);
  if (state.figure !== start.figure) query.set('view', state.figure);
  if (!sameTurn(state.turn, start.turn)) query.set('turn', turnText(state.turn));
  if (state.contrast !== start.contrast) query.set('contrast', state.contrast);
  if (state.against !== null) query.set('against', state.against);
  if (state.model !== null) query.set('model', state.model);
  if (state.method !== start.method) query.set('fit', state.method);
  if (state.frames !== start.frames) query.set('frames', state.frames);
  if (slice.y && !sameLevels(state.lines, start.lines))
    query.set('lines', state.lines?.length ? listed(slice.y, state.lines) : 'none');
  for (const [axis, at, from] of [
    [slice.y, state.y, start.y],
    [slice.x, state.x, start.x],
  ] as const)
    if (axis && at !== null && at !== from) query.set(axis.name, levelAt(axis, at));
  for (const [name, value] of Object.entries(state.byHand)) query.set(name, number(value));
  writeByModel(query, state, slice);
  writeAdvice(query, state.advice);
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

export interface Read {
  readonly state: ExplorerState;
  readonly rejected: readonly Rejected[];
}

/** The only parameter that may be there several times. */
function readPins(reader: Reader, sliders: ModelTerms['sliders']): Pin[] {
  const pins: Pin[] = [];
  for (const value of reader.takeAll('pin')) {
    const pin = pins.length < MOST_PINS ? readPin(value, sliders) : `is one more than ${MOST_PINS}`;
    if (typeof pin === 'string') reader.reject('pin', value, pin);
    else pins.push(pin);
  }
  return pins;
}

function readAxes(reader: Reader, terms: Terms): Axes {
  const names = terms.factors.map((f) => f.name);
  const several = terms.factors.filter((f) => f.levels.length > 1).map((f) => f.name);
  const asked: { -readonly [K in 'x' | 'y' | 'facet']?: string } = {};
  const put = (at: 'x' | 'y' | 'facet', allowed: readonly string[]): void => {
    const name = reader.oneOf(at, allowed, null, 'is not a factor that can stand there');
    if (name === null) return;
    const taken = name === NONE ? undefined : (['x', 'facet'] as const).find((other) => asked[other] === name);
    if (taken) reader.reject(at, name, `is ${taken === 'x' ? 'the axis across' : 'the facet'} already`);
    else asked[at] = name;
  };
  put('x', names);
  put('facet', [...several, NONE]);
  put('y', [...names, NONE]);
  return axesWith(terms, asked);
}

function readScale(reader: Reader, name: string, axis: AxisTerms | null): AxisScale | null {
  const allowed = axis?.scales ?? [];
  const scale = reader.oneOf(name, allowed, null, 'is not a scale that this axis can have');
  return scale === allowed[0] ? null : scale;
}

function readWhere(reader: Reader, terms: Terms, axes: Axes): Record<string, FactorValue> {
  const where: Record<string, FactorValue> = {};
  for (const { name, levels, start } of terms.choices(axes)) {
    const text = reader.oneOf(name, levels.map(String), String(start), 'has no such level');
    where[name] = levels.find((l) => String(l) === text) ?? start;
  }
  return where;
}

function readLines(
  reader: Reader,
  axis: AxisTerms | null,
  fallback: readonly number[] | null,
): readonly number[] | null {
  if (!axis) return fallback;
  const { levels } = axis;
  return reader.take<readonly number[] | null>('lines', fallback, (text) => {
    if (text === 'none') return [];
    const asked = unlisted(axis, text);
    if (asked.some((v) => !levels.includes(v))) return 'names a setting that is not there';
    const kept = levels.filter((l) => asked.includes(l));
    return kept.length === levels.length ? null : kept;
  });
}

function readPlace(reader: Reader, axis: AxisTerms | null): number | null {
  if (!axis) return null;
  if (!axis.names) return reader.number(axis.name, axis.lo, axis.hi) ?? axis.start;
  const level = reader.oneOf(axis.name, axis.names, null, 'has no such level');
  return level === null ? axis.start : axis.names.indexOf(level);
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
  const turn = reader.take<Turn>('turn', start.turn, readTurn);
  const slug = reader.take<{ slug: string | null }>('against', { slug: start.against }, (text) =>
    isSlug(text) ? { slug: text } : 'is not the name of an experiment',
  );
  return { figure, turn, contrast, against: slug.slug };
}

function readAdvice(reader: Reader): Advice {
  const named = (name: string, known: (text: string) => boolean, reason: string) =>
    reader.take<{ text: string } | null>(name, null, (text) => (known(text) ? { text } : reason))?.text;
  return {
    open: reader.oneOf('advice', SHOWN, null, 'is not open'),
    goal: reader.oneOf('goal', GOALS, null, 'is not a goal'),
    weights: reader.take('weigh', { weights: START_ADVICE.weights }, readWeights).weights,
    limits: DIRECTIONS.flatMap(([name, direction]) =>
      reader.take<readonly Limit[]>(name, [], (text) => readLimits(text, direction)),
    ),
    current: reader.take('now', START_ADVICE.current, readCurrent),
    interface: named('interface', isInterface, 'cannot be the name of an interface') ?? START_ADVICE.interface,
    driver: named('driver', isDriver, 'cannot be the name of a driver') ?? null,
    kernel: named('kernel', isKernel, 'cannot be the version of a kernel') ?? null,
  };
}

function scaledAxes(reader: Reader, axes: Axes, slice: SliceTerms): Axes {
  const xScale = readScale(reader, 'scale', slice.x);
  const yScale = readScale(reader, 'yscale', slice.y);
  return xScale === null && yScale === null ? axes : { ...axes, xScale, yScale };
}

/** The state an address means, and what of it could not be used. */
export function fromQuery(query: string, terms: Terms): Read {
  const reader = new Reader(query, FOREIGN);
  reader.version();
  const unscaled = readAxes(reader, terms);
  const where = readWhere(reader, terms, unscaled);
  const axes = scaledAxes(reader, unscaled, terms.slice({ axes: unscaled, where }));
  const start = stateFor(terms, { axes, where });
  const slice = terms.slice({ axes, where });
  const successor = successorOf(reader.peek('measure'));
  const measure = reader.oneOf(
    'measure',
    slice.measures,
    successor !== null && slice.measures.includes(successor.name) ? successor.name : start.measure,
    successor?.why ?? 'is not measured here',
  );
  const surface = reader.oneOf('surface', SURFACES, start.surface, 'is not a way to draw the surface');
  const figure = readFigure(reader, start);
  const models = slice.models(measure);
  const model = readModel(reader, models);
  const method = reader.oneOf('fit', METHODS, start.method, 'is not a method');
  const frames = reader.oneOf('frames', ['counted', 'full'] as const, start.frames, 'is not a way to count frames');
  const lines = readLines(reader, slice.y, start.lines);
  const y = readPlace(reader, slice.y);
  const x = readPlace(reader, slice.x);
  const chosen = models.find((m) => m.id === model) ?? models[0];
  const byHand = readByHand(reader, chosen);
  const pins = readPins(reader, chosen?.sliders ?? []);
  const movers = chosen?.sliders.map((s) => s.name) ?? [];
  const pull = reader.oneOf('pull', movers, null, 'is not a parameter of the model');
  const advice = readAdvice(reader);
  reader.rest();
  return {
    state: { axes, where, measure, surface, ...figure, lines, x, y, model, method, frames, byHand, pins, pull, advice },
    rejected: reader.rejected,
  };
}
