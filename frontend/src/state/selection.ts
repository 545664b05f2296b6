// SPDX-License-Identifier: Apache-2.0
// What an address of the explorer says of the cells that are looked at: the axes, their scales, and one level of each other factor.
import { type AxisSchema, axesWith, type ExplorerState, type SliceSchema, type ViewSchema } from './explorer';
import { type Field, type Form, field, oneOf, orNull, type Part, part, within } from './fields';
import { type Axes, type AxisScale, NONE, type SliceSelection } from './layout';

export interface Known {
  readonly schema: ViewSchema;
  slice(cut: SliceSelection): SliceSchema;
}

export type ExplorerField = Field<ExplorerState, Known>;
export type ExplorerForm<T> = Form<T, ExplorerState, Known>;

export const of = <N extends keyof ExplorerState>(name: N) => part<ExplorerState, N>(name);

export const says = <T>(
  name: string | ((state: ExplorerState, known: Known) => string | null),
  at: Part<ExplorerState, T>,
  form: ExplorerForm<T>,
): ExplorerField => field(name, at, form);

/** Between two choices of axes and levels the slice is the same. */
export function knownOf(schema: ViewSchema): Known {
  let last: { axes: SliceSelection['axes']; where: SliceSelection['where']; slice: SliceSchema } | null = null;
  return {
    schema,
    slice({ axes, where }) {
      if (last?.axes !== axes || last.where !== where) last = { axes, where, slice: schema.slice({ axes, where }) };
      return last.slice;
    },
  };
}

/** Which claims a factor first. */
const PLACES = ['x', 'facet', 'y'] as const;
type Place = (typeof PLACES)[number];

function namesAt(at: Place, { factors }: ViewSchema): readonly string[] {
  if (at === 'x') return factors.map((f) => f.name);
  const here = at === 'facet' ? factors.filter((f) => f.levels.length > 1) : factors;
  return [...here.map((f) => f.name), NONE];
}

/** Each factor in one place. `wanted` is one of the names that may stand there. */
function placed(
  schema: ViewSchema,
  wanted: (at: Place, names: readonly string[]) => string | null | undefined,
  refuse: (at: Place, name: string, taken: Place) => void = () => undefined,
): Axes {
  const asked: { [K in Place]?: string } = {};
  for (const at of PLACES) {
    const name = wanted(at, namesAt(at, schema)) ?? null;
    if (name === null) continue;
    const taken = name === NONE ? undefined : PLACES.find((other) => asked[other] === name);
    if (taken) refuse(at, name, taken);
    else asked[at] = name;
  }
  return axesWith(schema, asked);
}

const axes: ExplorerField = {
  names: PLACES,
  read(reader, state, { schema }) {
    const read = placed(
      schema,
      (at, names) => reader.oneOf(at, names, null, 'is not a factor that can stand there'),
      (at, name, taken) => reader.reject(at, name, `is ${taken === 'x' ? 'the axis across' : 'the facet'} already`),
    );
    return { ...state, axes: read };
  },
  keep: (old, state, { schema }) => ({
    ...state,
    axes: placed(schema, (at, names) => names.find((name) => name === old.axes[at])),
  }),
  write(query, { axes: { x, y, facet } }, _, { schema }) {
    const own = schema.defaults.axes;
    const asked = { ...(x === own.x ? {} : { x }), ...(facet === NONE ? {} : { facet }) };
    if (asked.x !== undefined) query.set('x', x);
    if (y !== axesWith(schema, asked).y) query.set('y', y);
    if (asked.facet !== undefined) query.set('facet', facet);
  },
};

/** Under the names of the factors. */
const levels: ExplorerField = {
  names: [],
  read(reader, state, { schema }) {
    const read = schema.choices(state.axes).map(({ name, levels: all, start }) => {
      const text = reader.oneOf(name, all.map(String), String(start), 'has no such level');
      return [name, all.find((level) => String(level) === text) ?? start];
    });
    return { ...state, where: Object.fromEntries(read) };
  },
  keep(old, state, { schema }) {
    const kept = schema.choices(state.axes).map(({ name, levels: all, start }) => {
      return [name, all.find((level) => String(level) === String(old.where[name])) ?? start];
    });
    return { ...state, where: Object.fromEntries(kept) };
  },
  write(query, state, _, { schema }) {
    for (const { name, start } of schema.choices(state.axes))
      if (state.where[name] !== start) query.set(name, String(state.where[name]));
  },
};

/** What is said of an axis does not hold of another one in its place. */
export const ifSameAxis = (at: 'x' | 'y', own: ExplorerField): ExplorerField => ({
  ...own,
  keep: (old, state, known) => (old.axes[at] === state.axes[at] ? own.keep(old, state, known) : state),
});

/** The scale that suits the axis is said by no parameter. */
function scale(
  name: string,
  at: 'xScale' | 'yScale',
  axisOf: (slice: SliceSchema) => AxisSchema | null,
): ExplorerField {
  const scalesOf = (state: ExplorerState, { slice }: Known) => axisOf(slice(state))?.scales ?? [];
  const asked = oneOf<AxisScale, ExplorerState, Known>(scalesOf, 'is not a scale that this axis can have');
  const form: ExplorerForm<AxisScale | null> = {
    ...orNull(asked),
    parse(text, state, known) {
      const taken = asked.parse(text, state, known);
      return text === scalesOf(state, known)[0] ? { value: null } : taken;
    },
    keep: (value, state, known) =>
      value === scalesOf(state, known)[0] ? null : orNull(asked).keep(value, state, known),
  };
  const own = says(name, within(of('axes'), part<Axes, 'xScale' | 'yScale'>(at)), form);
  return ifSameAxis(at === 'xScale' ? 'x' : 'y', own);
}

export const SELECTION_FIELDS: readonly ExplorerField[] = [
  axes,
  levels,
  scale('scale', 'xScale', ({ x }) => x),
  scale('yscale', 'yScale', ({ y }) => y),
];
