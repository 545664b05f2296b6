// SPDX-License-Identifier: Apache-2.0
// A kernel that reads a graph as it goes: what a stranger's model becomes on the page, where no text is ever run as code.
// Each node is computed where it varies: once, once per column, once per row, or once per cell; a row of cells at a time.
import type { Kernel } from '../models';
import { type Graph, liveNodes, type Operation } from './graph';

type Axis = 'x' | 'y' | 'xy';

const X = 1;
const Y = 2;
const LEVEL: Readonly<Record<Axis, number>> = { x: X, y: Y, xy: X | Y };

/** Math.pow(1, NaN) and Math.pow(±1, ±Infinity) are NaN; IEEE 754, C and numpy have 1. */
const pow = (a: number, b: number): number =>
  a === 1 || (a === -1 && (b === Number.POSITIVE_INFINITY || b === Number.NEGATIVE_INFINITY)) ? 1 : a ** b;

type Apply = (n: number, o: Float64Array, a: Operand, b: Operand, c: Operand) => void;

/** Values and how far apart they stand: 0 repeats the one value. */
interface Operand {
  array: Float64Array;
  at: number;
  step: 0 | 1;
}

const one =
  (f: (a: number) => number): Apply =>
  (n, o, { array: a, at, step }) => {
    for (let i = 0, k = at; i < n; i++, k += step) o[i] = f(a[k]);
  };
const two =
  (f: (a: number, b: number) => number): Apply =>
  (n, o, p, q) => {
    for (let i = 0, k = p.at, m = q.at; i < n; i++, k += p.step, m += q.step) o[i] = f(p.array[k], q.array[m]);
  };

const APPLY: Readonly<Record<Operation, Apply>> = {
  // the four that there are most of have loops of their own
  add: (n, o, p, q) => {
    for (let i = 0, k = p.at, m = q.at; i < n; i++, k += p.step, m += q.step) o[i] = p.array[k] + q.array[m];
  },
  sub: (n, o, p, q) => {
    for (let i = 0, k = p.at, m = q.at; i < n; i++, k += p.step, m += q.step) o[i] = p.array[k] - q.array[m];
  },
  mul: (n, o, p, q) => {
    for (let i = 0, k = p.at, m = q.at; i < n; i++, k += p.step, m += q.step) o[i] = p.array[k] * q.array[m];
  },
  div: (n, o, p, q) => {
    for (let i = 0, k = p.at, m = q.at; i < n; i++, k += p.step, m += q.step) o[i] = p.array[k] / q.array[m];
  },
  where: (n, o, p, q, r) => {
    for (let i = 0, k = p.at, m = q.at, l = r.at; i < n; i++, k += p.step, m += q.step, l += r.step)
      o[i] = p.array[k] !== 0 ? q.array[m] : r.array[l];
  },
  pow: two(pow),
  neg: one((a) => -a),
  lt: two((a, b) => Number(a < b)),
  le: two((a, b) => Number(a <= b)),
  gt: two((a, b) => Number(a > b)),
  ge: two((a, b) => Number(a >= b)),
  eq: two((a, b) => Number(a === b)),
  ne: two((a, b) => Number(a !== b)),
  minimum: two(Math.min),
  maximum: two(Math.max),
  exp: one(Math.exp),
  expm1: one(Math.expm1),
  log: one(Math.log),
  log1p: one(Math.log1p),
  sqrt: one(Math.sqrt),
  ceil: one(Math.ceil),
  floor: one(Math.floor),
  abs: one(Math.abs),
};

interface Step {
  readonly apply: Apply;
  readonly level: number;
  readonly result: Operand;
  readonly operands: readonly Operand[];
}

const NONE: Operand = { array: new Float64Array(1), at: 0, step: 0 };

/** `axes`: of the inputs that vary, along what; the others are numbers. */
export function kernelOf(graph: Graph, output: string, axes: Readonly<Record<string, Axis>>): Kernel {
  const result = graph.outputs.get(output);
  if (result === undefined) throw new Error(`the graph has no output ${output}`);
  const levels: number[] = [];
  const values = new Map<number, Operand>();
  const given: { readonly input: number; readonly level: number; readonly operand: Operand }[] = [];
  const steps: Step[] = [];
  for (const k of liveNodes(graph, result)) {
    const node = graph.nodes[k];
    const operand: Operand = { array: new Float64Array(1), at: 0, step: 0 };
    values.set(k, operand);
    if (node.op === 'const') {
      levels[k] = 0;
      operand.array[0] = node.value;
    } else if (node.op === 'input') {
      const name = graph.inputs[node.input];
      levels[k] = Object.hasOwn(axes, name) ? LEVEL[axes[name]] : 0;
      given.push({ input: node.input, level: levels[k], operand });
    } else {
      const { op, args } = node as { op: Operation; args: readonly number[] };
      levels[k] = args.reduce((all, argument) => all | levels[argument], 0);
      const operands = args.map((argument) => values.get(argument) as Operand);
      steps.push({ apply: APPLY[op], level: levels[k], result: operand, operands });
    }
  }
  const [still, columns, rows, cells] = [0, X, Y, X | Y].map((level) => steps.filter((s) => s.level === level));
  const last = values.get(result) as Operand;

  const perform = (list: readonly Step[], n: number): void => {
    for (const { apply, result: into, operands } of list)
      apply(n, into.array, operands[0], operands[1] ?? NONE, operands[2] ?? NONE);
  };

  return (inputs, nx, ny, out) => {
    for (const { level, result: into } of steps)
      if (level & X) {
        if (into.array.length < nx) into.array = new Float64Array(nx);
        into.step = 1;
      }
    for (const { input, level, operand } of given) {
      const value = inputs[input];
      if (level === 0) operand.array[0] = value as number;
      else {
        operand.array = value as Float64Array;
        operand.step = level & X ? 1 : 0;
      }
    }
    perform(still, 1);
    perform(columns, nx);
    for (let j = 0; j < ny; j++) {
      for (const { level, operand } of given) if (level & Y) operand.at = level & X ? j * nx : j;
      perform(rows, 1);
      perform(cells, nx);
      for (let i = 0, k = last.at; i < nx; i++, k += last.step) out[j * nx + i] = last.array[k];
    }
    for (const { operand } of given) operand.at = 0;
    return out;
  };
}
