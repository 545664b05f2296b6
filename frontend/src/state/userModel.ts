// SPDX-License-Identifier: Apache-2.0
// A model of the reader's own: the document that Python traced or a file holds, checked, and made into a model as the catalogue's are.
import type { Parameter, Quantity } from '../api/types';
import { niceStep } from '../plots/scale';
import { asList, asName, asObject, type Graph, GraphRefused, readGraph } from './graph/graph';
import { kernelOf } from './graph/kernel';
import { latexOf, nameLatex } from './graph/latex';
import type { BundledModel, Catalogue, Kernel, Symbolic } from './models';

interface UserInput {
  readonly name: string;
  readonly unit: string;
  readonly source: string | null;
  readonly range: readonly [number, number] | null;
}

interface UserParameter {
  readonly name: string;
  readonly unit: string;
  readonly default: number;
  readonly lo: number;
  readonly hi: number;
}

export interface UserDocument {
  readonly title: string;
  readonly inputs: readonly UserInput[];
  readonly parameters: readonly UserParameter[];
  readonly outputs: readonly { readonly name: string; readonly unit: string }[];
  readonly graph: Graph;
  /** As it came: what the server is sent, and a file holds. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Characters of a document, as JSON. */
export const LONGEST_DOCUMENT = 1_000_000;
const MOST_NAMES = 64;
const STEPS = 1000;

function refuse(where: string, why: string): never {
  throw new GraphRefused(`${where} ${why}`);
}

function asText(where: string, value: unknown, most: number): string {
  if (typeof value !== 'string' || value.length > most) refuse(where, `is not a text of at most ${most} characters`);
  return value;
}

function asNumber(where: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) refuse(where, 'is not a finite number');
  return value;
}

const unitOf = (where: string, value: unknown): string => asText(`${where}.unit`, value ?? '', 60);

function readInput(where: string, item: unknown): UserInput {
  const given = asObject(where, item, ['name', 'source', 'unit', 'lo', 'hi']);
  const name = asName(`${where}.name`, given.name);
  const bounds = [given.lo ?? null, given.hi ?? null];
  const range = bounds.includes(null)
    ? null
    : ([asNumber(`${where}.lo`, bounds[0]), asNumber(`${where}.hi`, bounds[1])] as const);
  if (range && !(range[0] < range[1])) refuse(where, 'has an empty range');
  const source = given.source == null ? null : asText(`${where}.source`, given.source, 200);
  return { name, unit: unitOf(where, given.unit), source, range };
}

function readParameter(where: string, item: unknown): UserParameter {
  const given = asObject(where, item, ['name', 'default', 'lo', 'hi', 'unit']);
  const [start, lo, hi] = ['default', 'lo', 'hi'].map((key) => asNumber(`${where}.${key}`, given[key]));
  if (!(lo < hi && lo <= start && start <= hi)) refuse(where, 'has a range that does not hold its default');
  return { name: asName(`${where}.name`, given.name), unit: unitOf(where, given.unit), default: start, lo, hi };
}

/** A document from decoded JSON, trusting nothing. Throws GraphRefused. */
export function readDocument(data: unknown): UserDocument {
  const given = asObject('the model', data, ['format', 'title', 'inputs', 'parameters', 'outputs', 'graph']);
  if (given.format !== 1) refuse('format', 'is not 1');
  const title = asText('title', given.title, 200).trim();
  if (title === '') refuse('title', 'is empty');
  const inputs = asList('inputs', given.inputs, MOST_NAMES).map((item, k) => readInput(`inputs[${k}]`, item));
  const parameters = asList('parameters', given.parameters ?? [], MOST_NAMES).map((item, k) =>
    readParameter(`parameters[${k}]`, item),
  );
  const graph = readGraph(given.graph);
  const names = [...inputs, ...parameters].map(({ name }) => name);
  if (names.length !== graph.inputs.length || graph.inputs.some((name) => names.filter((n) => n === name).length !== 1))
    refuse('inputs and parameters', 'together are not the inputs of the graph, each once');
  const units = new Map(
    asList('outputs', given.outputs ?? [], MOST_NAMES).map((item, k) => {
      const own = asObject(`outputs[${k}]`, item, ['name', 'unit']);
      return [asName(`outputs[${k}].name`, own.name), unitOf(`outputs[${k}]`, own.unit)];
    }),
  );
  const outputs = [...graph.outputs.keys()].map((name) => ({ name, unit: units.get(name) ?? '' }));
  return { title, inputs, parameters, outputs, graph, json: given };
}

/** The same from text. */
export function parseDocument(text: string): UserDocument {
  if (text.length > LONGEST_DOCUMENT) refuse('the model', `is longer than ${LONGEST_DOCUMENT} characters`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    refuse('the model', 'is not JSON');
  }
  return readDocument(data);
}

// ---- as a model of the catalogue -----------------------------------------------------------------------------------

/** LaTeX to markup. */
type Typeset = (latex: string, display: boolean) => string;

function plain(name: string, unit: string, role: Quantity['role']): Quantity {
  return {
    name,
    label: name,
    symbol: nameLatex(name),
    unit,
    description: 'Of this model alone.',
    domain: [null, null],
    typical: null,
    role,
    text: false,
    source: '',
    better: null,
    aim: null,
    guarded: false,
    axis: null,
    meanings: [],
  };
}

const RANGE_MISSING = [0, 1] as const;

/** What spans the plane: delay to the right and MTU upwards where they are inputs, else the first two. */
function planeOf(inputs: readonly UserInput[]): { x: string; y: string } | null {
  if (inputs.length < 2) return null;
  const names = inputs.map(({ name }) => name);
  const y = names.find((name) => name === 'mtu_bytes') ?? (names[0].includes('delay') ? names[1] : names[0]);
  const x = names.find((name) => name !== y && name.includes('delay')) ?? (names.find((name) => name !== y) as string);
  return { x, y };
}

export interface OwnModel {
  readonly document: UserDocument;
  readonly model: BundledModel;
  /** The model alone, for what draws models of a catalogue. */
  readonly catalogue: Catalogue;
  /** The equation of each output, as LaTeX. */
  readonly latex: ReadonlyMap<string, string>;
}

/** Outputs larger than this are referred to by the equations of others, not repeated in them. */
const WORTH_A_NAME = 8;

function equations(document: UserDocument, symbolOf: (name: string) => string): Map<string, string> {
  const { graph } = document;
  const inputSymbol = (name: string): string =>
    document.parameters.some((p) => p.name === name) ? `\\class{p-${name}}{${symbolOf(name)}}` : symbolOf(name);
  const printed = new Map<string, string>();
  for (const [name, result] of graph.outputs) {
    const named = new Map(
      [...graph.outputs]
        .filter(([other, node]) => other !== name && node !== result && graph.sizes[node] > WORTH_A_NAME)
        .map(([other, node]) => [node, symbolOf(other)] as const),
    );
    printed.set(name, `${symbolOf(name)} = ${latexOf(graph, result, inputSymbol, named)}`);
  }
  return printed;
}

/** `estimates`: where sliders start instead of the defaults. */
export function modelOf(
  document: UserDocument,
  quantities: readonly Quantity[],
  typeset: Typeset,
  estimates: Readonly<Record<string, number>> = {},
): OwnModel {
  const known = (name: string): Quantity | undefined => quantities.find((q) => q.name === name);
  const symbolic = <T extends Quantity>(q: T): Symbolic<T> => ({ ...q, symbolMath: typeset(q.symbol, false) });
  const inputs = document.inputs.map(({ name, unit, range }) => {
    const q = known(name) ?? plain(name, unit, 'model');
    const typical: [number, number] = [...(range ?? q.typical ?? RANGE_MISSING)];
    return symbolic({ ...q, typical });
  });
  const parameters = document.parameters.map((p): Symbolic<Parameter> => {
    const q = known(p.name) ?? plain(p.name, p.unit, 'parameter');
    const start = estimates[p.name] ?? p.default;
    return symbolic({ ...q, default: start, lo: p.lo, hi: p.hi, step: niceStep((p.hi - p.lo) / STEPS) });
  });
  const outputs = document.outputs.map(({ name, unit }) => symbolic(known(name) ?? plain(name, unit, 'model')));
  const plane = planeOf(document.inputs);
  const [x, y] = plane ? [plane.x, plane.y] : [document.inputs[0]?.name, undefined];
  const axes: Record<string, 'x' | 'y'> = {};
  if (x !== undefined) axes[x] = 'x';
  if (y !== undefined) axes[y] = 'y';
  const model: BundledModel = {
    id: 'own',
    title: document.title,
    summary: '',
    inputs,
    parameters,
    outputs,
    plane,
    axes,
  };
  // kernels take inputs first, then parameters; the graph has an order of its own
  const order = [...document.inputs, ...document.parameters].map(({ name }) => name);
  const places = document.graph.inputs.map((name) => order.indexOf(name));
  const kernels = Object.fromEntries(
    document.outputs.map(({ name }) => {
      const kernel = kernelOf(document.graph, name, axes);
      return [
        name,
        (values, nx, ny, out) =>
          kernel(
            places.map((at) => values[at]),
            nx,
            ny,
            out,
          ),
      ];
    }) satisfies [string, Kernel][],
  );
  return {
    document,
    model,
    catalogue: { models: [model], kernelsOf: () => kernels, quantities },
    latex: equations(document, (name) => known(name)?.symbol ?? nameLatex(name)),
  };
}
