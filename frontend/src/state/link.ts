// SPDX-License-Identifier: Apache-2.0
// Explorer state to address and back. FIELDS is the only list of what an address may say: reading, writing, defaults and what still holds
// after new data come from it. What an address of one version says, every later version reads alike: docs/addresses.md.
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
  weightsText,
  withLimits,
} from './advice';
import {
  type AxisSchema,
  axesWith,
  type ExplorerState,
  METHODS,
  type ModelSchema,
  NO_MODEL,
  SURFACES,
  stateFor,
  type ViewSchema,
} from './explorer';
import { keptBy, matching, oneOf, orNull, part, queryOf, readFields, within, written } from './fields';
import { CONTRASTS, FIGURES, isSlug, readTurn, turnText } from './figure';
import { levelAt } from './layout';
import { fits, MOST_PINS, type Pin, pinText, readPin, suits } from './pins';
import { numberIn, Reader, type Rejected } from './reader';
import { successorOf } from './retired';
import {
  type ExplorerField,
  type ExplorerForm,
  ifSameAxis,
  type Known,
  knownOf,
  of,
  SELECTION_FIELDS,
  says,
} from './selection';

/** Parameters of the page that are not the explorer's. */
export const FOREIGN = ['theme', 'without', 'sliders'];

const modelsOf = (state: ExplorerState, { slice }: Known): readonly ModelSchema[] => slice(state).models(state.measure);

function slidersOf(state: ExplorerState, known: Known): ModelSchema['sliders'] {
  const models = modelsOf(state, known);
  return (models.find((m) => m.id === state.model) ?? models[0])?.sliders ?? [];
}

// ---- what is drawn of it -------------------------------------------------------------------------------------------

const measured = oneOf<string, ExplorerState, Known>(
  (state, { slice }) => slice(state).measures,
  'is not measured here',
);
const measure: ExplorerForm<string> = {
  ...measured,
  parse(text, state, known) {
    const successor = successorOf(text);
    const taken = measured.parse(text, state, known);
    if (typeof taken !== 'string' || successor === null) return taken;
    const { name, why } = successor;
    return known.slice(state).measures.includes(name) ? { value: name, but: why } : why;
  },
};

const predicts = oneOf<string, ExplorerState, Known>(
  (state, known) => modelsOf(state, known).map((m) => m.id),
  'predicts nothing here',
);
/** A model that is named is meant, though it be the first: whether that one is drawn by itself depends on its fit. */
const model: ExplorerForm<string | null> = {
  ...orNull(predicts),
  parse: (text, state, known) =>
    text === NO_MODEL && modelsOf(state, known)[0]?.id === NO_MODEL
      ? { value: null }
      : predicts.parse(text, state, known),
};

/** Levels that are text may hold the comma that parts them. */
function listed(axis: AxisSchema, values: readonly number[]): string {
  if (values.length === 0) return 'none';
  const words = values.map((v) => (axis.names ? encodeURIComponent(levelAt(axis, v)) : String(v))).join(',');
  return words === 'none' ? '%6Eone' : words;
}

const unlisted = (axis: AxisSchema, text: string): readonly number[] =>
  text.split(',').map((word) => {
    if (!axis.names) return word.trim() === '' ? Number.NaN : Number(word);
    try {
      return axis.names.indexOf(decodeURIComponent(word));
    } catch {
      return -1;
    }
  });

/** Those of the axis's settings, as it has them; all are null. Undefined: one of them is not there. */
function amongSettings(axis: AxisSchema, values: readonly number[]): ExplorerState['lines'] | undefined {
  if (values.some((v) => !axis.levels.includes(v))) return undefined;
  const kept = axis.levels.filter((level) => values.includes(level));
  return kept.length === axis.levels.length && kept.length > 0 ? null : kept;
}

const lines: ExplorerForm<ExplorerState['lines']> = {
  parse(text, state, { slice }) {
    const { y } = slice(state);
    if (!y) return 'is not known here';
    const value = text === 'none' ? [] : amongSettings(y, unlisted(y, text));
    return value === undefined ? 'names a setting that is not there' : { value };
  },
  text(value, state, { slice }) {
    const { y } = slice(state);
    return y && value ? listed(y, value) : null;
  },
  keep(value, state, { slice }) {
    const { y } = slice(state);
    return y && value && value.length > 0 ? amongSettings(y, value) : value;
  },
};

/** Where the crosshair stands, under the name of the axis's factor. */
function crosshair(at: 'x' | 'y'): ExplorerField {
  const axisOf = (state: ExplorerState, { slice }: Known): AxisSchema | null => slice(state)[at];
  const place: ExplorerForm<number | null> = {
    parse(text, state, known) {
      const axis = axisOf(state, known);
      if (!axis?.names) return numberIn(text, axis?.lo ?? 0, axis?.hi ?? 0);
      const level = axis.names.indexOf(text);
      return level < 0 ? 'has no such level' : { value: level };
    },
    text(value, state, known) {
      const axis = axisOf(state, known);
      return axis && value !== null ? String(levelAt(axis, value)) : null;
    },
    keep(value, state, known) {
      const axis = axisOf(state, known);
      if (!axis || value === null) return undefined;
      return (axis.names ? axis.names[value] !== undefined : value >= axis.lo && value <= axis.hi) ? value : undefined;
    },
  };
  return ifSameAxis(
    at,
    says((state, known) => axisOf(state, known)?.name ?? null, of(at), place),
  );
}

/** Sliders that were moved, under the names of the model's parameters. */
const sliders: ExplorerField = {
  names: [],
  read(reader, state, known) {
    const overrides: Record<string, number> = {};
    for (const { name, lo, hi } of slidersOf(state, known)) {
      const value = reader.number(name, lo, hi);
      if (value !== null) overrides[name] = value;
    }
    return { ...state, overrides };
  },
  keep(old, state, known) {
    const kept = slidersOf(state, known).filter(
      ({ name, lo, hi }) => old.overrides[name] >= lo && old.overrides[name] <= hi,
    );
    return { ...state, overrides: Object.fromEntries(kept.map(({ name }) => [name, old.overrides[name]])) };
  },
  write(query, { overrides }) {
    for (const [name, value] of Object.entries(overrides)) query.set(name, String(value));
  },
};

/** The only parameter that may be there several times. Pins of another model stay in hand and out of the address. */
const pins: ExplorerField = {
  names: ['pin'],
  read(reader, state, known) {
    const own = slidersOf(state, known);
    const read: Pin[] = [];
    for (const text of reader.takeAll('pin')) {
      const pin = read.length < MOST_PINS ? readPin(text, own) : `is one more than ${MOST_PINS}`;
      if (typeof pin === 'string') reader.reject('pin', text, pin);
      else read.push(pin);
    }
    return { ...state, pins: read };
  },
  keep(old, state, known) {
    const own = slidersOf(state, known);
    return { ...state, pins: old.pins.filter((pin) => fits(pin, own)) };
  },
  write(query, state, _, known) {
    const own = state.pins.length > 0 ? slidersOf(state, known) : [];
    for (const pin of state.pins) if (suits(pin, own)) query.append('pin', pinText(pin));
  },
};

// ---- what is asked of a recommendation -----------------------------------------------------------------------------

const advice = <N extends keyof Advice>(name: N) => within(of('advice'), part<Advice, N>(name));

const limitsIn = (name: string, direction: Limit['limit']): ExplorerField =>
  says(
    name,
    within(advice('limits'), {
      get: (all) => all.filter((l) => l.limit === direction),
      put: (all, these: readonly Limit[]) => withLimits(all, direction, these),
    }),
    written<readonly Limit[]>(
      (text) => readLimits(text, direction),
      (limits) => limitsText(limits, direction),
    ),
  );

// ---- all of it -----------------------------------------------------------------------------------------------------

/** What is drawn of them, from where the cut starts it. */
const VIEW: readonly ExplorerField[] = [
  says('measure', of('measure'), measure),
  says('surface', of('surface'), oneOf(SURFACES, 'is not a way to draw the surface')),
  says('view', of('figure'), oneOf(FIGURES, 'is not a figure')),
  says('turn', of('turn'), written(readTurn, turnText)),
  says('contrast', of('contrast'), oneOf(CONTRASTS, 'is not a way to compare')),
  says('against', of('against'), orNull(matching(isSlug, 'is not the name of an experiment'))),
  says('model', of('model'), model),
  says('fit', of('method'), oneOf(METHODS, 'is not a method')),
  says(
    'idle',
    of('base'),
    written(
      (text) => text === 'fitted' || 'can only be fitted',
      (base) => (base ? 'fitted' : ''),
    ),
  ),
  says('frames', of('frames'), oneOf(['counted', 'full'], 'is not a way to count frames')),
  says('lines', of('lines'), lines),
  crosshair('y'),
  crosshair('x'),
  sliders,
  pins,
  says(
    'pull',
    of('pull'),
    orNull(
      oneOf<string, ExplorerState, Known>(
        (state, known) => slidersOf(state, known).map((s) => s.name),
        'is not a parameter of the model',
      ),
    ),
  ),
  says('advice', advice('open'), orNull(oneOf(SHOWN, 'is not open'))),
  says('goal', advice('goal'), orNull(oneOf(GOALS, 'is not a goal'))),
  says('weigh', advice('weights'), written(readWeights, weightsText)),
  ...DIRECTIONS.map(([name, direction]) => limitsIn(name, direction)),
  says('now', advice('current'), written(readCurrent, currentText)),
  says('interface', advice('interface'), matching(isInterface, 'cannot be the name of an interface')),
  says('driver', advice('driver'), orNull(matching(isDriver, 'cannot be the name of a driver'))),
  says('kernel', advice('kernel'), orNull(matching(isKernel, 'cannot be the version of a kernel'))),
];

/** What an address may say, in the order in which it says it. */
export const FIELDS: readonly ExplorerField[] = [...SELECTION_FIELDS, ...VIEW];

/** The query of an address, without the question mark. It names only what differs from the default. */
export const toQuery = (state: ExplorerState, schema: ViewSchema): string =>
  // the default of the axes is that of the bare address, all others follow from the axes and levels at hand
  queryOf(FIELDS, state, { ...stateFor(schema, state), axes: axesWith(schema, {}) }, knownOf(schema));

export interface Read {
  readonly state: ExplorerState;
  readonly rejected: readonly Rejected[];
}

/** The state an address means, and what of it could not be used: a parameter that cannot be read falls back alone. */
export function fromQuery(query: string, schema: ViewSchema): Read {
  const reader = new Reader(query, FOREIGN);
  const known = knownOf(schema);
  reader.version();
  const cut = readFields(SELECTION_FIELDS, reader, schema.defaults, known);
  const state = readFields(VIEW, reader, stateFor(schema, cut), known);
  reader.rest();
  return { state, rejected: reader.rejected };
}

/** What holds of a state under these terms: cells, and with them settings, may have come or gone since. */
export function conformed(state: ExplorerState, schema: ViewSchema): ExplorerState {
  const known = knownOf(schema);
  const cut = keptBy(SELECTION_FIELDS, state, schema.defaults, known);
  return keptBy(VIEW, state, stateFor(schema, cut), known);
}
