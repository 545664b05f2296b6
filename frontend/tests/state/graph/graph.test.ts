// SPDX-License-Identifier: Apache-2.0
// The page's reader, evaluator and printer of graphs against Python's.

import { fileURLToPath } from 'node:url';
import references from 'virtual:references';
import { describe, expect, it } from 'vitest';
import { runPython } from '../../../build/python';
import { catalogue } from '../../../src/engine/catalogue';
import { DEFINITIONS } from '../../../src/engine/definitions';
import { sourceOf } from '../../../src/engine/sources';
import { type Graph, GraphRefused, LIMITS, OPERATIONS, readGraph } from '../../../src/state/graph/graph';
import { kernelOf } from '../../../src/state/graph/kernel';
import { latexOf } from '../../../src/state/graph/latex';
import { readDocument } from '../../../src/state/userModel';

type Told = number | 'Infinity' | '-Infinity' | 'NaN';

interface Golden {
  readonly graphs_of_operations: Readonly<Record<string, unknown>>;
  readonly operations: readonly (readonly [string, readonly Told[], Told])[];
  readonly graphs: readonly { graph: unknown; points: number[][]; outputs: Record<string, Told>[] }[];
  readonly latex: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly latex_of_graphs: readonly Readonly<Record<string, string>>[];
  readonly constants: Readonly<Record<string, string>>;
}

const golden = JSON.parse(runPython([fileURLToPath(new URL('golden.py', import.meta.url))]).toString('utf8')) as Golden;

const TOLERANCE = 1e-12;

function difference(a: number, told: Told): number {
  const b = Number(told);
  if (Object.is(a, b) || a === b) return 0;
  return Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
}

const at = (graph: Graph, output: string, values: readonly number[]): number =>
  kernelOf(graph, output, {})(values, 1, 1, new Float64Array(1))[0];

const agrees = (a: number, told: Told): boolean => difference(a, told) <= TOLERANCE;

describe('a graph on the page', () => {
  it('knows the operations that Python lists, and no other', () => {
    expect([...OPERATIONS].sort()).toEqual(Object.keys(golden.graphs_of_operations).sort());
  });

  it('computes each operation as Python does, at its edges too', () => {
    const graphs = new Map(OPERATIONS.map((op) => [op as string, readGraph(golden.graphs_of_operations[op])]));
    const wrong = golden.operations.filter(
      ([op, point, told]) => !agrees(at(graphs.get(op) as Graph, 'y', point.map(Number)), told),
    );
    expect(golden.operations.length).toBeGreaterThan(1000);
    expect(wrong).toEqual([]);
  });

  it('computes graphs of anything as Python does', () => {
    for (const { graph, points, outputs } of golden.graphs) {
      const read = readGraph(graph);
      points.forEach((point, k) => {
        for (const [name, told] of Object.entries(outputs[k])) {
          const found = at(read, name, point);
          // where terms cancel, an ulp of Math.pow or Math.exp is all that is left
          expect(
            difference(found, told) <= 1e-9 || Math.abs(found - Number(told)) < 1e-9,
            `${name}: ${found} ${told}`,
          ).toBe(true);
        }
      });
    }
  });

  it('is judged by a check that a slightly wrong value fails', () => {
    expect(agrees(1 + 1e-9, 1)).toBe(false);
    expect(agrees(Number.NaN, 1)).toBe(false);
    expect(agrees(1, 'Infinity')).toBe(false);
  });

  it('prints the equations that Python prints', () => {
    golden.graphs.forEach(({ graph }, k) => {
      const read = readGraph(graph);
      for (const [name, latex] of Object.entries(golden.latex_of_graphs[k]))
        expect(latexOf(read, read.outputs.get(name) as number, (input) => `\\mathrm{${input}}`)).toBe(latex);
    });
    for (const [value, latex] of Object.entries(golden.constants)) {
      const read = readGraph({ format: 1, inputs: [], nodes: [['const', Number(value)]], outputs: { y: 0 } });
      expect(latexOf(read, 0, String), value).toBe(latex);
    }
  });
});

describe.each(catalogue.models.map((m) => [m.id, m] as const))('%s as a graph', (id, model) => {
  it('evaluates to its reference points, prints its equations and fills a grid', async () => {
    const { graph } = readDocument((await sourceOf(id))?.document);
    for (const { values, outputs } of references[id])
      for (const [name, expected] of Object.entries(outputs))
        expect(
          agrees(
            at(
              graph,
              name,
              graph.inputs.map((i) => values[i]),
            ),
            expected ?? 'NaN',
          ),
          name,
        ).toBe(true);
    const symbols = new Map(DEFINITIONS.map((q) => [q.name, q]));
    for (const [name, latex] of Object.entries(golden.latex[id])) {
      const symbol = (input: string): string => {
        const q = symbols.get(input);
        return q?.role === 'parameter' ? `\\class{p-${input}}{${q.symbol}}` : (q?.symbol ?? input);
      };
      expect(latexOf(graph, graph.outputs.get(name) as number, symbol)).toBe(latex);
    }
    const [nx, ny] = [5, 3];
    const { values } = references[id][1];
    const inputs = graph.inputs.map((name) => {
      const axis = model.axes[name];
      if (!axis) return values[name];
      return Float64Array.from({ length: { x: nx, y: ny, xy: nx * ny }[axis] }, (_, k) => values[name] * (1 + k / 7));
    });
    for (const { name } of model.outputs) {
      const kernel = kernelOf(graph, name, model.axes);
      for (let twice = 0; twice < 2; twice++) {
        const grid = kernel(inputs, nx, ny, new Float64Array(nx * ny));
        grid.forEach((value, o) => {
          const [i, j] = [o % nx, Math.floor(o / nx)];
          const place = inputs.map((input, k) =>
            typeof input === 'number' ? input : input[{ x: i, y: j, xy: o }[model.axes[graph.inputs[k]]]],
          );
          expect(agrees(value, at(graph, name, place))).toBe(true);
        });
      }
    }
  });
});

const GOOD = {
  format: 1,
  inputs: ['a', 'b'],
  nodes: [
    ['input', 0],
    ['input', 1],
    ['lt', 0, 1],
    ['where', 2, 0, 1],
  ],
  outputs: { y: 3 },
};

describe('a stranger’s graph', () => {
  it('is read when it is one', () => {
    expect(readGraph(GOOD).outputs).toEqual(new Map([['y', 3]]));
  });

  it.each<[string, object]>([
    ['another key', { ...GOOD, code: 'alert(1)' }],
    ['another format', { ...GOOD, format: 2 }],
    ['no list', { ...GOOD, nodes: 'nodes' }],
    [
      'an operation that is not listed',
      {
        ...GOOD,
        nodes: [
          ['input', 0],
          ['eval', 0],
        ],
        outputs: { y: 1 },
      },
    ],
    [
      'an operation of every object',
      {
        ...GOOD,
        nodes: [
          ['input', 0],
          ['constructor', 0],
        ],
        outputs: { y: 1 },
      },
    ],
    [
      'a reference forward',
      {
        ...GOOD,
        nodes: [
          ['add', 0, 1],
          ['input', 0],
        ],
      },
    ],
    ['a reference to itself', { ...GOOD, nodes: [['neg', 0]], outputs: { y: 0 } }],
    ['a broken index', { ...GOOD, nodes: [['input', 0.5]], outputs: { y: 0 } }],
    ['an input that is not there', { ...GOOD, nodes: [['input', 2]], outputs: { y: 0 } }],
    ['text for a number', { ...GOOD, nodes: [['const', '1']], outputs: { y: 0 } }],
    ['a constant that is not finite', { ...GOOD, nodes: [['const', Number.POSITIVE_INFINITY]], outputs: { y: 0 } }],
    ['a comparison as a number', { ...GOOD, outputs: { y: 2 } }],
    [
      'a number as a condition',
      {
        ...GOOD,
        nodes: [
          ['input', 0],
          ['where', 0, 0, 0],
        ],
        outputs: { y: 1 },
      },
    ],
    [
      'a wrong count of operands',
      {
        ...GOOD,
        nodes: [
          ['input', 0],
          ['add', 0],
        ],
        outputs: { y: 1 },
      },
    ],
    ['a name that is markup', { ...GOOD, inputs: ['a', '<b>'] }],
    ['a name that is LaTeX', { ...GOOD, inputs: ['a', '\\href{x}{y}'] }],
    ['a name twice', { ...GOOD, inputs: ['a', 'a'] }],
    ['no output', { ...GOOD, outputs: {} }],
    ['too many nodes', { ...GOOD, nodes: Array.from({ length: LIMITS.nodes + 1 }, () => ['input', 0]) }],
    ['an explosion', { ...GOOD, nodes: [['input', 0], ...Array.from({ length: 60 }, (_, k) => ['add', k, k])] }],
  ])('with %s is refused', (_, graph) => {
    expect(() => readGraph(graph)).toThrow(GraphRefused);
  });
});
