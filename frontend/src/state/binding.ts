// SPDX-License-Identifier: Apache-2.0
// Whether a model can say something about an experiment, and from where each of its inputs comes.
import type { Quantity } from '../api/types';
import { type Field, fieldOf } from './field';
import { inSeconds, parameterTerms, type ScalarTerm } from './fit';
import { type Axis, delayMicroseconds, isDelay, type Layout, type Point } from './layout';
import { type BundledModel, type Catalogue, isCostInSeconds, type Kernel, outputFor, partsOf } from './models';

export type Frames = 'counted' | 'full';

/** One input of a model: along an axis, from a field interpolated between the cells, or a number that a slider sets. */
type Source =
  | { readonly from: 'x' | 'y'; readonly convert: (v: number) => number }
  | { readonly from: 'cells'; readonly field: Field; readonly quantity: 'packets_per_interrupt' | 'packet_fill' }
  | { readonly from: 'scalar'; readonly name: string };

export interface Binding {
  readonly model: BundledModel;
  readonly output: string;
  readonly parts: readonly string[];
  readonly sources: readonly Source[];
  /** Inputs and parameters that a slider sets, in the order in which the panel shows them. */
  readonly terms: readonly ScalarTerm[];
  /** The model reads the counted packets of the cells: it can also take every packet as full. */
  readonly takesFrames: boolean;
  readonly kernels: Readonly<Record<string, Kernel>>;
}

/** Measures of the slice's cells, by name: what `cells` sources interpolate. Null: there are no cells, sliders take their place. */
export type MeasurePoints = (measure: string) => readonly Point[];

const same = (v: number): number => v;

function axisSource(input: Quantity, axis: Axis | null, from: 'x' | 'y'): Source | null {
  if (!axis) return null;
  if (axis.name === input.name) return { from, convert: same };
  if (input.name === 'delay_us' && isDelay(axis.name)) return { from, convert: (v) => delayMicroseconds(axis.name, v) };
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

/** Mean packet over MTU: a mean over the delays of each MTU, for it hardly depends on them. */
function fillField(layout: Layout, points: MeasurePoints): Field | null {
  if (layout.y?.name !== 'mtu_bytes') return null;
  const sums = new Map<number, { sum: number; n: number }>();
  for (const p of points('mean_packet_bytes')) {
    const at = sums.get(p.y) ?? { sum: 0, n: 0 };
    sums.set(p.y, { sum: at.sum + p.mean / p.y, n: at.n + 1 });
  }
  const samples = [...sums].map(([y, { sum, n }]) => ({ x: 0, y, value: sum / n }));
  return samples.length > 0 ? fieldOf({ x: null, y: layout.y }, samples, false) : null;
}

function inputTerm(q: Quantity & { symbolMath: string }): ScalarTerm {
  const [lo, hi] = q.typical ?? [q.domain[0] ?? 0, q.domain[1] ?? 1];
  const step = 10 ** Math.floor(Math.log10((hi - lo) / 200));
  // a share starts whole: the paper takes every packet as full
  const middle = q.domain[1] === 1 ? 1 : lo > 0 ? Math.sqrt(lo * hi) : (lo + hi) / 2;
  return { ...q, start: Number((Math.round(middle / step) * step).toPrecision(6)), lo, hi, step };
}

function sourceOf(input: Quantity, layout: Layout, points: MeasurePoints | null): Source | null {
  const axis = axisSource(input, layout.x, 'x') ?? axisSource(input, layout.y, 'y');
  if (axis) return axis;
  if (points && (input.name === 'packets_per_interrupt' || input.name === 'packet_fill')) {
    const field = input.name === 'packet_fill' ? fillField(layout, points) : interruptsField(layout, points);
    return field && { from: 'cells', field, quantity: input.name };
  }
  return { from: 'scalar', name: input.name };
}

/** Null where the model does not predict the measure, or an input that cells must give is not in them. */
export function bind(
  catalogue: Catalogue,
  model: BundledModel,
  layout: Layout,
  measure: string,
  points: MeasurePoints | null,
): Binding | null {
  const output = outputFor(model, measure);
  const kernels = catalogue.kernels[model.id];
  if (!output || !kernels?.[output]) return null;
  const sources: Source[] = [];
  const terms: ScalarTerm[] = [];
  let moved = layout.shape === 'point';
  for (const input of model.inputs) {
    const source = sourceOf(input, layout, points);
    if (!source) return null;
    if (source.from === 'scalar') terms.push(inputTerm(input));
    else moved = true;
    sources.push(source);
  }
  // a kernel that takes one number for what varies is called place by place: then it must take one number for all
  const along = model.inputs.filter((_, k) => sources[k].from !== 'scalar').map((i) => i.name in model.axes);
  if (!moved || (along.includes(true) && along.includes(false))) return null;
  return {
    model,
    output,
    parts: partsOf(model).filter((p) => p in kernels),
    sources,
    terms: [...parameterTerms(model).map((term) => (isCostInSeconds(measure) ? inSeconds(term) : term)), ...terms],
    takesFrames: sources.some((s) => s.from === 'cells' && s.quantity === 'packet_fill'),
    kernels,
  };
}

/** Every binding for a measure: first a model that takes what the cells measured, then one that is about the measure. */
export function bindings(
  catalogue: Catalogue,
  layout: Layout,
  measure: string,
  points: MeasurePoints | null,
): Binding[] {
  return catalogue.models
    .flatMap((m) => bind(catalogue, m, layout, measure, points) ?? [])
    .sort((a, b) => fromCells(b) - fromCells(a) || rank(a) - rank(b));
}

export const fromCells = (b: Binding): number => b.sources.filter((s) => s.from === 'cells').length;
const rank = (b: Binding): number => b.model.outputs.findIndex((o) => o.name === b.output);

/** A grid of places with every input that does not depend on a slider already on it. */
export interface Prepared {
  readonly nx: number;
  readonly ny: number;
  evaluate(output: string, theta: Readonly<Record<string, number>>): Float64Array;
}

function spread(values: (i: number) => number, n: number): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = values(i);
  return out;
}

function fieldInput(
  field: Field,
  kind: 'x' | 'y' | 'xy' | undefined,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
): Float64Array {
  const whole = kind === 'xy' ? new Float64Array(xs.length * ys.length) : null;
  if (whole) return field.fill(xs, ys, whole);
  return kind === 'x'
    ? spread((i) => field.at(xs[i], ys[0]), xs.length)
    : spread((j) => field.at(xs[0], ys[j]), ys.length);
}

function valuesOf(
  source: Exclude<Source, { from: 'scalar' }>,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
): (i: number, j: number) => number {
  if (source.from === 'cells') return (i, j) => source.field.at(xs[i], ys[j]);
  return source.from === 'x' ? (i) => source.convert(xs[i]) : (_, j) => source.convert(ys[j]);
}

/** Values that replace what `cells` sources would interpolate: a cell's own counts. */
export type Counted = Readonly<Partial<Record<'packets_per_interrupt' | 'packet_fill', number>>>;

export function prepare(
  binding: Binding,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  frames: Frames,
  counted: Counted = {},
): Prepared {
  const { model, sources, kernels } = binding;
  const nx = xs.length;
  const ny = ys.length;
  const size = { x: nx, y: ny, xy: nx * ny } as const;
  const scalars: { at: number; name: string; array: Float64Array | null }[] = [];
  // inputs that vary although the kernel takes one number: such a kernel is called place by place
  const varying: { at: number; values: (i: number, j: number) => number }[] = [];
  const inputs: (number | Float64Array)[] = model.inputs.map((input, k) => {
    const source = sources[k];
    const kind = model.axes[input.name];
    if (!kind && source.from !== 'scalar') {
      varying.push({ at: k, values: valuesOf(source, xs, ys) });
      return 0;
    }
    if (source.from === 'scalar') {
      const array = kind ? new Float64Array(size[kind]) : null;
      scalars.push({ at: k, name: source.name, array });
      return array ?? 0;
    }
    if (source.from === 'cells') {
      const own = source.quantity === 'packet_fill' && frames === 'full' ? 1 : counted[source.quantity];
      return own === undefined ? fieldInput(source.field, kind, xs, ys) : new Float64Array(size[kind]).fill(own);
    }
    const values = source.from === 'x' ? xs : ys;
    if (kind === source.from) return spread((i) => source.convert(values[i]), values.length);
    if (kind === 'xy')
      return spread((at) => source.convert(values[source.from === 'x' ? at % nx : Math.floor(at / nx)]), nx * ny);
    // the picture's axis is the model's other one: it must be a single row or column
    return new Float64Array(size[kind]).fill(source.convert(values[0]));
  });
  for (const p of model.parameters) {
    scalars.push({ at: inputs.length, name: p.name, array: null });
    inputs.push(0);
  }
  const buffers = new Map<string, Float64Array>();
  const one = new Float64Array(1);
  return {
    nx,
    ny,
    evaluate(output, theta) {
      for (const { at, name, array } of scalars) {
        if (array) array.fill(theta[name]);
        else inputs[at] = theta[name];
      }
      let out = buffers.get(output);
      if (!out) {
        out = new Float64Array(nx * ny);
        buffers.set(output, out);
      }
      if (varying.length === 0) return kernels[output](inputs, nx, ny, out);
      for (let j = 0, o = 0; j < ny; j++)
        for (let i = 0; i < nx; i++, o++) {
          for (const { at, values } of varying) inputs[at] = values(i, j);
          out[o] = kernels[output](inputs, 1, 1, one)[0];
        }
      return out;
    },
  };
}

export interface Prediction {
  readonly total: number;
  /** In the order of the binding's parts. */
  readonly parts: readonly number[];
  /** The cells' interpolated values, where the model takes them. */
  readonly inputs: Readonly<Record<string, number>>;
}

export function predictAt(
  binding: Binding,
  x: number,
  y: number,
  frames: Frames,
  theta: Readonly<Record<string, number>>,
  counted: Counted = {},
): Prediction {
  const place = prepare(binding, [x], [y], frames, counted);
  const inputs: Record<string, number> = {};
  binding.model.inputs.forEach((input, k) => {
    const source = binding.sources[k];
    if (source.from === 'scalar') inputs[input.name] = theta[source.name];
    else if (source.from === 'cells')
      inputs[input.name] =
        source.quantity === 'packet_fill' && frames === 'full'
          ? 1
          : (counted[source.quantity] ?? source.field.at(x, y));
    else inputs[input.name] = source.convert(source.from === 'x' ? x : y);
  });
  return {
    total: place.evaluate(binding.output, theta)[0],
    parts: binding.parts.map((p) => place.evaluate(p, theta)[0]),
    inputs,
  };
}

/** The slope of the prediction in each parameter, by central differences: exact for the linear models that are fitted. */
export function gradientAt(
  binding: Binding,
  names: readonly string[],
  x: number,
  y: number,
  frames: Frames,
  theta: Readonly<Record<string, number>>,
): number[] {
  const place = prepare(binding, [x], [y], frames);
  const value = (t: Readonly<Record<string, number>>): number => place.evaluate(binding.output, t)[0];
  return names.map((name) => {
    const h = Math.max(Math.abs(theta[name]) * 1e-4, 1e-6);
    return (value({ ...theta, [name]: theta[name] + h }) - value({ ...theta, [name]: theta[name] - h })) / (2 * h);
  });
}
