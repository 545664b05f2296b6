// SPDX-License-Identifier: Apache-2.0
// The built-in models as the page's bundle carries them.
import type { Parameter, Quantity } from '../api/types';

/** Fills out[j * nx + i]; each input is a number, or an array along x, along y, or over both, as the model's `axes` say. */
export type Kernel = (
  inputs: readonly (number | Float64Array)[],
  nx: number,
  ny: number,
  out: Float64Array,
) => Float64Array;

/** By output. */
export type Kernels = Readonly<Record<string, Kernel>>;

/** Of what the page was built with, engine/definitions.ts tells these; they are fetched later. */
type AfterPaint = 'symbol' | 'description' | 'source' | 'axis';
type Bundled<Q extends Quantity> = Omit<Q, AfterPaint> & Partial<Pick<Q, AfterPaint>>;
export type BundledQuantity = Bundled<Quantity>;
export type BundledParameter = Bundled<Parameter>;

/** A parameter whose unit or symbol stands in an equation has it as MathML, made when the page is built. */
export type Symbolic<T> = T & { readonly symbolMath: string };

/** What a model answers at a point. */
export interface Reference {
  readonly values: Readonly<Record<string, number>>;
  /** Of a point; null where it is not known. */
  readonly outputs: Readonly<Record<string, number | null>>;
}

/** What a model says of itself besides its summary: it is fetched with the first part of the page that shows it. */
export interface Notes {
  readonly notes: readonly string[];
  readonly citation: string;
}

export interface BundledModel {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly inputs: readonly Symbolic<BundledQuantity>[];
  readonly parameters: readonly Symbolic<BundledParameter>[];
  readonly outputs: readonly Symbolic<BundledQuantity>[];
  readonly plane: { readonly x: string; readonly y: string } | null;
  readonly axes: Readonly<Record<string, 'x' | 'y' | 'xy'>>;
}

/** A published number beside what the model predicts, as docs/published-vs-predicted.md prints both. */
export interface PublishedNumber {
  readonly document: string;
  readonly what: string;
  readonly published: string;
  readonly ours: string;
  /** What ours is: predicted, tuned, fitted, input, follows, given, not predicted. */
  readonly how: string;
  readonly from: string;
  readonly remark: string;
}

/** What the page about a model tells besides. */
export interface About {
  readonly use: string;
  readonly assumptions: readonly string[];
  readonly limits: readonly string[];
  readonly published: readonly PublishedNumber[];
}

export interface Catalogue {
  readonly models: readonly BundledModel[];
  /** Of one of `models`. */
  readonly kernelsOf: (id: string) => Kernels;
  readonly quantities: readonly BundledQuantity[];
}

const PER_GB = [
  'traffic_cpu_jiffies_per_gb',
  'traffic_cpu_s_per_gb',
  'system_cpu_jiffies_per_gb',
  'system_cpu_s_per_gb',
];

/** The response of the cost model: what its fit explains. */
export const isCost = (measure: string): boolean => PER_GB.includes(measure);

/** A cost in seconds; the others are in jiffies. */
export const isCostInSeconds = (measure: string): boolean => isCost(measure) && measure.endsWith('_cpu_s_per_gb');

/** Read as a ratio: between its values, and on its scale, what counts is how many times one is another. */
export const isRatio = (name: string): boolean => name.startsWith('packets_per') || name.endsWith('_hz');

/** The measure that is fitted where a cost is looked at: the same cost, of the whole run. */
export const responseOf = (measure: string): string => measure.replace(/_per_gb$/, '');

/** The output of a model that is this measure, or null. The cost model answers in the unit of the response it was fitted to. */
export function outputFor(model: BundledModel, measure: string): string | null {
  const names = model.outputs.map((o) => o.name);
  if (names.includes(measure)) return measure;
  return PER_GB.includes(measure) && names.includes('system_cpu_per_gb') ? 'system_cpu_per_gb' : null;
}

const PARTS = ['byte_cost_per_gb', 'packet_cost_per_gb', 'interrupt_cost_per_gb'] as const;

/** The outputs that split the cost, if the model has all three. */
export function partsOf(model: BundledModel): readonly string[] {
  return PARTS.every((p) => model.outputs.some((o) => o.name === p)) ? PARTS : [];
}

/** Parameters that the server can fit, and the model that it fits them with. */
export function fittedAs(model: BundledModel): string | null {
  return ['alpha', 'beta', 'gamma'].every((n) => model.parameters.some((p) => p.name === n)) ? 'cpu-overhead' : null;
}
