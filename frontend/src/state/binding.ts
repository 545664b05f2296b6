// SPDX-License-Identifier: Apache-2.0
// Whether a model can say something about an experiment, and from where each of its inputs comes.
import type { FactorValue } from '../api/types';
import { type Field, fieldOf } from './field';
import { inSeconds, parameterTerms, type ScalarTerm } from './fit';
import { type Axis, delayMicroseconds, isDelay, type Layout, type Point } from './layout';
import {
  type BundledModel,
  type BundledQuantity,
  type Catalogue,
  isCostInSeconds,
  type Kernels,
  outputFor,
  partsOf,
} from './models';

/** From where one input or parameter of a model comes. */
export type Source =
  /** Along an axis. */
  | { readonly from: 'x'; readonly convert: (v: number) => number }
  | { readonly from: 'y'; readonly convert: (v: number) => number }
  /** Interpolated between the cells; `along`: what it depends on. */
  | {
      readonly from: 'cells';
      readonly field: Field;
      readonly quantity: 'packets_per_interrupt' | 'packet_fill';
      readonly along: 'x' | 'y' | 'xy';
    }
  /** The level of a factor that is no axis. */
  | { readonly from: 'level'; readonly value: number }
  /** A slider. */
  | { readonly from: 'scalar'; readonly name: string };

export interface Binding {
  readonly model: BundledModel;
  readonly output: string;
  readonly parts: readonly string[];
  /** Of the inputs, then of the parameters: as the kernel takes them. */
  readonly sources: readonly Source[];
  /** Inputs and parameters that a slider sets, in the order in which the panel shows them. */
  readonly terms: readonly ScalarTerm[];
  /** The model reads the counted packets of the cells: it can also take every packet as full. */
  readonly takesFrames: boolean;
  readonly kernels: Kernels;
}

/** Measures of the slice's cells, by name: what `cells` sources interpolate. Null: there are no cells, sliders take their place. */
export type MeasurePoints = (measure: string) => readonly Point[];

/** What a model is bound to: axes, levels of the factors that are none, cells. */
export interface Ground {
  readonly layout: Layout;
  readonly levels: Readonly<Record<string, FactorValue>>;
  readonly points: MeasurePoints | null;
  /** The most that came over the link anywhere; 0 where nobody measured it. */
  readonly fastest_mbps: number;
}

const same = (v: number): number => v;

/** How a factor's setting becomes a model's input; null where it says nothing about it. */
function conversion(factor: string, input: string): ((v: number) => number) | null {
  if (factor === input) return same;
  return input === 'delay_us' && isDelay(factor) ? (v) => delayMicroseconds(factor, v) : null;
}

function axisSource(input: Pick<BundledQuantity, 'name'>, axis: Axis | null, from: 'x' | 'y'): Source | null {
  if (!axis || axis.names) return null;
  const convert = conversion(axis.name, input.name);
  return convert && { from, convert };
}

function levelSource(input: Pick<BundledQuantity, 'name'>, levels: Ground['levels']): Source | null {
  for (const [factor, value] of Object.entries(levels)) {
    const convert = typeof value === 'number' ? conversion(factor, input.name) : null;
    if (convert) return { from: 'level', value: convert(value as number) };
  }
  return null;
}

/** Packets per interrupt at every place, interpolated in logarithms. */
function interruptsField(layout: Layout, points: MeasurePoints): Field | null {
  return fieldOf(
    layout,
    points('packets_per_interrupt').map((p) => ({ x: p.x, y: p.y, value: p.mean })),
    true,
  );
}

/** Mean packet over MTU: a mean over the cells of each MTU, because it hardly depends on anything else. */
function fillField({ layout, levels, points }: Ground): { field: Field; along: 'x' | 'y' } | null {
  const along = layout.x?.name === 'mtu_bytes' ? 'x' : 'y';
  const axis = [layout.x, layout.y].find((a) => a?.name === 'mtu_bytes') ?? null;
  const sums = new Map<number, { sum: number; n: number }>();
  for (const p of points?.('mean_packet_bytes') ?? []) {
    const mtu = axis ? p[along] : levels.mtu_bytes;
    if (typeof mtu !== 'number') return null;
    const at = sums.get(axis ? mtu : 0) ?? { sum: 0, n: 0 };
    sums.set(axis ? mtu : 0, { sum: at.sum + p.mean / mtu, n: at.n + 1 });
  }
  const samples = [...sums].map(([at, { sum, n }]) => ({ x: 0, y: 0, [along]: at, value: sum / n }));
  const field = samples.length > 0 ? fieldOf({ x: null, y: null, [along]: axis }, samples, false) : null;
  return field && { field, along };
}

function inputTerm(q: BundledQuantity & { symbolMath: string }): ScalarTerm {
  const [lo, hi] = q.typical ?? [q.domain[0] ?? 0, q.domain[1] ?? 1];
  const step = 10 ** Math.floor(Math.log10((hi - lo) / 200));
  // a share starts whole: the paper takes every packet as full
  const middle = q.domain[1] === 1 ? 1 : lo > 0 ? Math.sqrt(lo * hi) : (lo + hi) / 2;
  return { ...q, start: Number((Math.round(middle / step) * step).toPrecision(6)), lo, hi, step };
}

function cellsSource(quantity: 'packets_per_interrupt' | 'packet_fill', ground: Ground): Source | null {
  if (!ground.points) return null;
  if (quantity === 'packet_fill') {
    const found = fillField(ground);
    return found && { from: 'cells', quantity, ...found };
  }
  const field = interruptsField(ground.layout, ground.points);
  return field && { from: 'cells', quantity, field, along: 'xy' };
}

const COUNTED: Readonly<Record<string, string>> = {
  packets_per_interrupt: 'measured packets per interrupt, over numeric axes without gaps',
  packet_fill: 'the mean packet that cells counted, for each MTU',
};

function sourceOf(input: BundledQuantity, ground: Ground): Source | null {
  const { layout, levels, points } = ground;
  const known = axisSource(input, layout.x, 'x') ?? axisSource(input, layout.y, 'y') ?? levelSource(input, levels);
  if (known) return known;
  if (points && (input.name === 'packets_per_interrupt' || input.name === 'packet_fill'))
    return cellsSource(input.name, ground);
  return { from: 'scalar', name: input.name };
}

const LINK_RATES_MBPS = [10, 100, 1000, 2500, 5000, 10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000];

/** A link carries at least what came over it: its rate starts at one that does. */
function onLink<T extends ScalarTerm>(term: T, { fastest_mbps }: Ground): T {
  if (term.name !== 'link_rate_mbps' || fastest_mbps <= term.start) return term;
  return { ...term, start: LINK_RATES_MBPS.find((rate) => rate >= fastest_mbps) ?? fastest_mbps };
}

/** Whether anything that the model takes varies along an axis. */
export const dependsOn = (binding: Binding, at: 'x' | 'y'): boolean =>
  binding.sources.some((s) => s.from === at || (s.from === 'cells' && s.along.includes(at)));

/** A model that is about a measure, and why it cannot be drawn here. */
export interface Unbound {
  readonly model: BundledModel;
  readonly reason: string;
}

const listing = (labels: readonly string[]): string =>
  labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} or ${labels.at(-1)}`;

/** Null where the model does not predict the measure; a reason where an input has no source, or none is on an axis. */
function attempt(catalogue: Catalogue, model: BundledModel, ground: Ground, measure: string): Binding | Unbound | null {
  const output = outputFor(model, measure);
  if (!output) return null;
  const sources: Source[] = [];
  const terms: ScalarTerm[] = [];
  for (const input of model.inputs) {
    const source = sourceOf(input, ground);
    if (!source) return { model, reason: `needs ${COUNTED[input.name]}` };
    if (source.from === 'scalar') terms.push(inputTerm(input));
    sources.push(source);
  }
  const parameters = parameterTerms(model)
    .map((term) => (isCostInSeconds(measure) ? inSeconds(term) : term))
    .map((term) => onLink(term, ground));
  const sliders = parameters.filter((term) => {
    const { x, y } = ground.layout;
    const source = axisSource(term, x, 'x') ?? axisSource(term, y, 'y') ?? levelSource(term, ground.levels);
    sources.push(source ?? { from: 'scalar', name: term.name });
    return source === null;
  });
  const along = sources.some((s) => s.from === 'x' || s.from === 'y' || s.from === 'cells');
  if (!along && ground.layout.shape !== 'point')
    return { model, reason: `needs ${listing(model.inputs.map((i) => i.label))} on an axis` };
  const kernels = catalogue.kernelsOf(model.id);
  return {
    model,
    output,
    parts: partsOf(model).filter((p) => p in kernels),
    sources,
    terms: [...sliders, ...terms],
    takesFrames: sources.some((s) => s.from === 'cells' && s.quantity === 'packet_fill'),
    kernels,
  };
}

export function bind(catalogue: Catalogue, model: BundledModel, ground: Ground, measure: string): Binding | null {
  const bound = attempt(catalogue, model, ground, measure);
  return bound && !('reason' in bound) ? bound : null;
}

/** Models about the measure that cannot be drawn over these axes, and why. */
export function unbound(catalogue: Catalogue, ground: Ground, measure: string): Unbound[] {
  return catalogue.models.flatMap((model) => {
    const bound = attempt(catalogue, model, ground, measure);
    return bound && 'reason' in bound ? [bound] : [];
  });
}

/** Every binding for a measure: first a model that takes what the cells measured, then one that is about the measure. */
export function bindings(catalogue: Catalogue, ground: Ground, measure: string): Binding[] {
  return catalogue.models
    .flatMap((m) => bind(catalogue, m, ground, measure) ?? [])
    .sort((a, b) => fromCells(b) - fromCells(a) || rank(a) - rank(b));
}

export const fromCells = (b: Binding): number => b.sources.filter((s) => s.from === 'cells').length;
const rank = (b: Binding): number => b.model.outputs.findIndex((o) => o.name === b.output);
