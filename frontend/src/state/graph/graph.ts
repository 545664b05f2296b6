// SPDX-License-Identifier: Apache-2.0
// A model as data, as a stranger may send it: listed operations on earlier nodes, bounded. The same checks as the server's.

export const LIMITS = { nodes: 2000, expandedSize: 20_000, inputs: 64, outputs: 64 } as const;

type Kind = 'real' | 'boolean';

/** Kinds of the operands, and of the result. There are no other operations. */
const LISTED = {
  add: ['real', 'real', 'real'],
  sub: ['real', 'real', 'real'],
  mul: ['real', 'real', 'real'],
  div: ['real', 'real', 'real'],
  pow: ['real', 'real', 'real'],
  neg: ['real', 'real'],
  lt: ['real', 'real', 'boolean'],
  le: ['real', 'real', 'boolean'],
  gt: ['real', 'real', 'boolean'],
  ge: ['real', 'real', 'boolean'],
  eq: ['real', 'real', 'boolean'],
  ne: ['real', 'real', 'boolean'],
  minimum: ['real', 'real', 'real'],
  maximum: ['real', 'real', 'real'],
  where: ['boolean', 'real', 'real', 'real'],
  exp: ['real', 'real'],
  expm1: ['real', 'real'],
  log: ['real', 'real'],
  log1p: ['real', 'real'],
  sqrt: ['real', 'real'],
  ceil: ['real', 'real'],
  floor: ['real', 'real'],
  abs: ['real', 'real'],
} as const satisfies Record<string, readonly Kind[]>;

export type Operation = keyof typeof LISTED;
export const OPERATIONS = Object.keys(LISTED) as readonly Operation[];

type Node =
  | { readonly op: 'const'; readonly value: number }
  | { readonly op: 'input'; readonly input: number }
  | { readonly op: Operation; readonly args: readonly number[] };

export interface Graph {
  readonly inputs: readonly string[];
  readonly nodes: readonly Node[];
  readonly outputs: ReadonlyMap<string, number>;
  /** Of each node, how many nodes it stands for when nothing is shared. */
  readonly sizes: readonly number[];
}

export class GraphRefused extends Error {}

export const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

function refuse(where: string, why: string): never {
  throw new GraphRefused(`${where} ${why}`);
}

export function asObject(where: string, value: unknown, keys: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(where, 'is not an object');
  const other = Object.keys(value).find((key) => !keys.includes(key));
  if (other !== undefined) refuse(where, `has a key that is not known: ${other.slice(0, 40)}`);
  return value as Record<string, unknown>;
}

export function asList(where: string, value: unknown, most: number): readonly unknown[] {
  if (!Array.isArray(value)) refuse(where, 'is not a list');
  if (value.length > most) refuse(where, `has more than ${most} items`);
  return value;
}

export function asName(where: string, value: unknown): string {
  if (typeof value !== 'string' || !NAME.test(value)) refuse(where, 'is not a name of letters, digits and _');
  return value;
}

function isIndex(value: unknown, below: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < below;
}

const kindsOf = (op: string): readonly Kind[] | undefined =>
  Object.hasOwn(LISTED, op) ? LISTED[op as Operation] : undefined;

function readNode(where: string, item: unknown, inputs: number, kinds: readonly Kind[]): Node {
  if (!Array.isArray(item) || typeof item[0] !== 'string') refuse(where, 'is not a list that starts with an operation');
  const [op, ...rest] = item as [string, ...unknown[]];
  if (op === 'const') {
    if (rest.length !== 1 || !Number.isFinite(rest[0])) refuse(where, 'is not a finite constant');
    return { op, value: rest[0] as number };
  }
  if (op === 'input') {
    if (rest.length !== 1 || !isIndex(rest[0], inputs)) refuse(where, 'names no input');
    return { op, input: rest[0] };
  }
  const listed = kindsOf(op);
  if (!listed) refuse(where, 'is not a listed operation');
  if (rest.length !== listed.length - 1) refuse(where, `${op} takes ${listed.length - 1} operands`);
  rest.forEach((argument, k) => {
    if (!isIndex(argument, kinds.length)) refuse(where, 'refers to something that is not an earlier node');
    if (kinds[argument] !== listed[k]) refuse(where, `${op} wants a ${listed[k]} operand`);
  });
  return { op: op as Operation, args: rest as number[] };
}

function readNames(where: string, value: unknown, most: number): string[] {
  const names = asList(where, value, most).map((name, k) => asName(`${where}[${k}]`, name));
  if (new Set(names).size !== names.length) refuse(where, 'holds a name twice');
  return names;
}

/** A graph from decoded JSON, trusting nothing. Throws GraphRefused. */
export function readGraph(data: unknown): Graph {
  const given = asObject('graph', data, ['format', 'inputs', 'nodes', 'outputs']);
  if (given.format !== 1) refuse('graph.format', 'is not 1');
  const inputs = readNames('graph.inputs', given.inputs, LIMITS.inputs);
  const kinds: Kind[] = [];
  const sizes: number[] = [];
  const nodes = asList('graph.nodes', given.nodes, LIMITS.nodes).map((item, k) => {
    const node = readNode(`graph.nodes[${k}]`, item, inputs.length, kinds);
    const listed = kindsOf(node.op);
    kinds.push(listed ? listed[listed.length - 1] : 'real');
    sizes.push('args' in node ? node.args.reduce((sum, argument) => sum + sizes[argument], 1) : 1);
    if (sizes[k] > LIMITS.expandedSize) refuse('graph', 'is too large when shared parts are written out');
    return node;
  });
  if (typeof given.outputs !== 'object' || given.outputs === null || Array.isArray(given.outputs))
    refuse('graph.outputs', 'is not an object');
  const named = Object.entries(given.outputs);
  const names = readNames(
    'graph.outputs',
    [...named.keys()].map((k) => named[k][0]),
    LIMITS.outputs,
  );
  if (names.length === 0) refuse('graph.outputs', 'is empty');
  const outputs = named.map(([name, index]): [string, number] => {
    if (!isIndex(index, nodes.length)) refuse(`graph.outputs.${name}`, 'is not the index of a node');
    if (kinds[index] !== 'real') refuse(`graph.outputs.${name}`, 'is a comparison, not a number');
    return [name, index];
  });
  return { inputs, nodes, outputs: new Map(outputs), sizes };
}

/** The nodes that one of them depends on, itself included, in order of evaluation. */
export function liveNodes(graph: Graph, result: number): number[] {
  const wanted = new Set([result]);
  for (let k = result; k >= 0; k--) {
    const node = graph.nodes[k];
    if (wanted.has(k) && 'args' in node) for (const argument of node.args) wanted.add(argument);
  }
  return [...wanted].sort((a, b) => a - b);
}
