// SPDX-License-Identifier: Apache-2.0
// What an address of the explorer says of the cells that are looked at: the axes, their scales, and one level of each other factor,
// several of the facet's.
import type { FactorValue } from '../api/types';
import { type AxisSchema, axesWith, type ExplorerState, type SliceSchema, type ViewSchema } from './explorer';
import { type Field, type Form, field, oneOf, orNull, type Part, part, within } from './fields';
import { type Axes, type AxisScale, facetLevelsOf, NONE, type SliceSelection } from './layout';

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

/** A level in a list: commas part the levels. */
const listed = (level: FactorValue): string => String(level).replace(/[%,]/g, encodeURIComponent);

/** The levels that a text names, in its order; null where one of them is none. A text that is a level is that one. */
function levelsIn(text: string, all: readonly FactorValue[]): readonly FactorValue[] | null {
  const whole = all.find((level) => String(level) === text);
  if (whole !== undefined) return [whole];
  const found = text.split(',').map((word) => all.find((level) => listed(level) === word));
  return found.every((level) => level !== undefined) ? found : null;
}

/** The opposite, for a list. The first is named again where it is alone, or all of them would be read as one level. */
function levelsText(levels: readonly FactorValue[], all: readonly FactorValue[]): string {
  let text = (levels.length > 1 ? levels : [...levels, ...levels]).map(listed).join();
  while (all.some((level) => String(level) === text)) text += `,${listed(levels[0])}`;
  return text;
}

/** Under the names of the factors. Of several levels of the facet, the first that is named is the chosen one. */
const levels: ExplorerField = {
  names: [],
  read(reader, state, { schema }) {
    const { axes } = state;
    let { facetLevels } = axes;
    const read = schema.choices(axes).map(({ name, levels: all, start }) => {
      const [level, ...others] = reader.take<readonly FactorValue[]>(name, [start], (text) => {
        const value = levelsIn(text, all);
        if (value === null) return 'has no such level';
        return value.length === 1 || name === axes.facet ? { value } : 'has several levels only where it is the facet';
      });
      if (others.length > 0) facetLevels = facetLevelsOf(all, level, others);
      return [name, level];
    });
    return { ...state, axes: { ...axes, facetLevels }, where: Object.fromEntries(read) };
  },
  keep(old, state, { schema }) {
    const { axes } = state;
    let { facetLevels } = axes;
    const kept = schema.choices(axes).map(({ name, levels: all, start }) => {
      const level = all.find((level) => String(level) === String(old.where[name])) ?? start;
      if (name === axes.facet && name === old.axes.facet) facetLevels = facetLevelsOf(all, level, old.axes.facetLevels);
      return [name, level];
    });
    return { ...state, axes: { ...axes, facetLevels }, where: Object.fromEntries(kept) };
  },
  write(query, { axes: own, where }, _, { schema }) {
    const { facet, facetLevels } = own;
    for (const { name, levels: all, start } of schema.choices(own)) {
      const level = where[name];
      if (name === facet && facetLevels)
        query.set(name, levelsText([level, ...facetLevels.filter((l) => l !== level)], all));
      else if (level !== start) query.set(name, String(level));
    }
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
