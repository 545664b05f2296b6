// SPDX-License-Identifier: Apache-2.0
// What a model says over a grid of places, or at one, once it is bound to an experiment.
import type { Binding, Source } from './binding';

/** Packets as the cells counted them, or every one of them full. */
export type Frames = 'counted' | 'full';

/** A grid of places with every input that does not depend on a slider already on it. */
export interface Prepared {
  readonly nx: number;
  readonly ny: number;
  evaluate(output: string, theta: Readonly<Record<string, number>>): Float64Array;
}

/** Values that replace what `cells` sources would interpolate: a cell's own counts. */
export type Counted = Readonly<Partial<Record<'packets_per_interrupt' | 'packet_fill', number>>>;

/** What a value depends on in a picture, or in a model's kernel; null: on nothing. */
type Along = 'x' | 'y' | 'xy' | null;

/** One argument of a kernel over a grid: what it depends on there, and its value at each place; null: a slider's. */
interface Argument {
  readonly along: Along;
  readonly at: ((i: number, j: number) => number) | null;
  readonly slider: string;
  /** What the kernel can take for it. */
  readonly kind: Along;
}

/** Along an axis that has a single place here, nothing varies. */
function effective(along: Along, nx: number, ny: number): Along {
  const x = (along === 'x' || along === 'xy') && nx > 1;
  const y = (along === 'y' || along === 'xy') && ny > 1;
  if (x) return y ? 'xy' : 'x';
  return y ? 'y' : null;
}

function argumentOf(
  source: Source,
  kind: Along,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  own: number | undefined,
): Argument {
  const still = (value: number): Argument => ({ along: null, at: () => value, slider: '', kind });
  const moving = (along: Along, at: (i: number, j: number) => number): Argument => ({
    along: effective(along, xs.length, ys.length),
    at,
    slider: '',
    kind,
  });
  if (source.from === 'scalar') return { along: null, at: null, slider: source.name, kind };
  if (source.from === 'level') return still(source.value);
  if (source.from === 'x') return moving('x', (i) => source.convert(xs[i]));
  if (source.from === 'y') return moving('y', (_, j) => source.convert(ys[j]));
  if (own !== undefined) return still(own);
  const { field, along } = source;
  if (along !== 'xy') return moving(along, (i, j) => field.at(xs[i], ys[j]));
  const whole = field.fill(xs, ys, new Float64Array(xs.length * ys.length));
  return moving('xy', (i, j) => whole[j * xs.length + i]);
}

const TURNED = { x: 'y', y: 'x', xy: 'xy' } as const;

/** How a kernel is called: over the grid as it is, over the grid turned, or place by place where its own axes are others. */
function callOf(args: readonly Argument[]): 'whole' | 'turned' | 'places' {
  const fits = (turned: boolean): boolean =>
    args.every(({ along, kind }) => {
      const wanted = along && turned ? TURNED[along] : along;
      return wanted === null || kind === 'xy' || kind === wanted;
    });
  if (fits(false)) return 'whole';
  return fits(true) ? 'turned' : 'places';
}

export function prepare(
  binding: Binding,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  frames: Frames,
  counted: Counted = {},
): Prepared {
  const { model, sources, kernels } = binding;
  const [nx, ny] = [xs.length, ys.length];
  const args = sources.map((source, k) => {
    const input = model.inputs[k];
    const kind = input ? (model.axes[input.name] ?? null) : null;
    const full = source.from === 'cells' && source.quantity === 'packet_fill' && frames === 'full';
    const own = full ? 1 : source.from === 'cells' ? counted[source.quantity] : undefined;
    return argumentOf(source, kind, xs, ys, own);
  });
  const call = callOf(args);
  const [kx, ky] = call === 'places' ? [1, 1] : call === 'turned' ? [ny, nx] : [nx, ny];
  const size = { x: kx, y: ky, xy: kx * ky } as const;
  const inputs = args.map(({ at, kind }): number | Float64Array => {
    if (!kind) return at && call !== 'places' ? at(0, 0) : 0;
    const array = new Float64Array(size[kind]);
    if (!at || call === 'places') return array;
    for (let o = 0; o < array.length; o++) {
      const a = kind === 'y' ? 0 : o % kx;
      const b = kind === 'y' ? o : Math.floor(o / kx);
      array[o] = call === 'turned' ? at(b, a) : at(a, b);
    }
    return array;
  });
  const put = (k: number, value: number): void => {
    const input = inputs[k];
    if (typeof input === 'number') inputs[k] = value;
    else input.fill(value);
  };
  const sliders = args.flatMap((a, k) => (a.at === null ? [{ k, name: a.slider }] : []));
  const placed = call === 'places' ? args.flatMap((a, k) => (a.at ? [{ k, at: a.at }] : [])) : [];
  const buffers = new Map<string, Float64Array>();
  const scratch = new Float64Array(call === 'turned' ? nx * ny : 1);
  return {
    nx,
    ny,
    evaluate(output, theta) {
      for (const { k, name } of sliders) put(k, theta[name]);
      let out = buffers.get(output);
      if (!out) {
        out = new Float64Array(nx * ny);
        buffers.set(output, out);
      }
      if (call === 'whole') return kernels[output](inputs, nx, ny, out);
      if (call === 'turned') {
        const turned = kernels[output](inputs, kx, ky, scratch);
        for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) out[j * nx + i] = turned[i * ny + j];
        return out;
      }
      for (let j = 0, o = 0; j < ny; j++)
        for (let i = 0; i < nx; i++, o++) {
          for (const { k, at } of placed) put(k, at(i, j));
          out[o] = kernels[output](inputs, 1, 1, scratch)[0];
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

/** Predictions at one place, for whatever the sliders say. */
export function predictor(
  binding: Binding,
  x: number,
  y: number,
  frames: Frames,
  counted: Counted = {},
): (theta: Readonly<Record<string, number>>) => Prediction {
  const place = prepare(binding, [x], [y], frames, counted);
  const known: Record<string, number> = {};
  const moving: { name: string; slider: string }[] = [];
  binding.model.inputs.forEach(({ name }, k) => {
    const source = binding.sources[k];
    if (source.from === 'scalar') moving.push({ name, slider: source.name });
    else if (source.from === 'level') known[name] = source.value;
    else if (source.from === 'cells')
      known[name] =
        source.quantity === 'packet_fill' && frames === 'full'
          ? 1
          : (counted[source.quantity] ?? source.field.at(x, y));
    else known[name] = source.convert(source.from === 'x' ? x : y);
  });
  return (theta) => {
    const inputs = { ...known };
    for (const { name, slider } of moving) inputs[name] = theta[slider];
    return {
      total: place.evaluate(binding.output, theta)[0],
      parts: binding.parts.map((p) => place.evaluate(p, theta)[0]),
      inputs,
    };
  };
}

export const predictAt = (
  binding: Binding,
  x: number,
  y: number,
  frames: Frames,
  theta: Readonly<Record<string, number>>,
  counted: Counted = {},
): Prediction => predictor(binding, x, y, frames, counted)(theta);

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
