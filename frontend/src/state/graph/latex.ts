// SPDX-License-Identifier: Apache-2.0
// The equation of a graph as LaTeX, with no more parentheses than it needs. Printed here, from what was checked: no text of a stranger's is ever
// read as LaTeX. The same as the Python printer's, tested against it.
import { type Graph, liveNodes, type Operation } from './graph';

/** How tightly an operation binds, from the loosest. */
const Binding = { Cases: 0, Sum: 1, Product: 2, Power: 3, Atom: 4 } as const;
type Binding = (typeof Binding)[keyof typeof Binding];

interface Text {
  readonly latex: string;
  readonly binding: Binding;
  /** Above and below, of a fraction. */
  readonly parts?: readonly [Text, Text];
}

const text = (latex: string, binding: Binding = Binding.Atom, parts?: readonly [Text, Text]): Text => ({
  latex,
  binding,
  parts,
});

const within = (t: Text, binding: Binding): string => (t.binding >= binding ? t.latex : `\\left(${t.latex}\\right)`);

/** As Python writes a float: the shortest digits, an exponent below 10⁻⁴ and from 10¹⁶ on. */
function digitsOf(value: number): { digits: string; exponent: number | null } {
  const [mantissa, power] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return { digits: mantissa, exponent };
  const all = mantissa.replace('.', '');
  if (exponent < 0) return { digits: `0.${'0'.repeat(-exponent - 1)}${all}`, exponent: null };
  const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const part = all.slice(exponent + 1);
  return { digits: part ? `${whole}.${part}` : whole, exponent: null };
}

function positive(value: number): Text {
  const { digits, exponent } = digitsOf(value);
  if (exponent !== null) {
    const power = `10^{${exponent}}`;
    return digits === '1' ? text(power, Binding.Power) : text(`${digits} \\times ${power}`, Binding.Product);
  }
  const head = digits.replace(/0+$/, '');
  const zeros = digits.length - head.length;
  if (digits.includes('.') || zeros < 5) return text(digits);
  const power = `10^{${zeros}}`;
  return head === '1' ? text(power, Binding.Power) : text(`${head} \\times ${power}`, Binding.Product);
}

const negative = (a: Text): Text => text(`-${within(a, Binding.Product)}`, Binding.Sum);

const constant = (value: number): Text => (value >= 0 ? positive(Math.abs(value)) : negative(positive(-value)));

function sum(a: Text, b: Text): Text {
  let right = within(b, Binding.Sum);
  if (right.startsWith('-')) right = `\\left(${right}\\right)`;
  return text(`${within(a, Binding.Sum)} + ${right}`, Binding.Sum);
}

function product(a: Text, b: Text): Text {
  const right = within(b, Binding.Product);
  const sign = /^\d/.test(right) ? '\\cdot' : '\\,';
  return text(`${within(a, Binding.Product)} ${sign} ${right}`, Binding.Product);
}

function quotient(a: Text, b: Text): Text {
  // fractions of fractions become one, as they are written by hand
  if (a.parts) return quotient(a.parts[0], product(a.parts[1], b));
  if (b.parts) return quotient(product(a, b.parts[1]), b.parts[0]);
  return text(`\\frac{${a.latex}}{${b.latex}}`, Binding.Product, [a, b]);
}

const power = (a: Text, b: Text): Text => text(`{${within(a, Binding.Atom)}}^{${b.latex}}`, Binding.Power);
const logarithm = (a: Text): Text => text(`\\ln\\left(${a.latex}\\right)`);
const compared =
  (sign: string) =>
  (a: Text, b: Text): Text =>
    text(`${a.latex} ${sign} ${b.latex}`, Binding.Cases);
const enclosed =
  (left: string, right: string) =>
  (a: Text): Text =>
    text(`\\left${left} ${a.latex} \\right${right}`);
const extreme =
  (name: string) =>
  (a: Text, b: Text): Text =>
    text(`${name}\\left(${a.latex}, ${b.latex}\\right)`);

const BEGIN = '\\begin{cases} ';
const END = ' \\end{cases}';

function cases(condition: Text, a: Text, b: Text): Text {
  // the cases of the last case are cases of the whole
  const rest = b.latex.startsWith(BEGIN) ? b.latex.slice(BEGIN.length) : null;
  const others = rest?.endsWith(END) && !rest.includes(BEGIN) ? rest : `${b.latex} & \\text{otherwise}${END}`;
  return text(`${BEGIN}${a.latex} & \\text{if } ${condition.latex} \\\\ ${others}`, Binding.Cases);
}

/** Below this a constant in a minimum or maximum only keeps a divisor from zero, and is not printed. */
const GUARD = 1e-200;

function guarded(graph: Graph, op: Operation, args: readonly number[]): number | null {
  if (op !== 'minimum' && op !== 'maximum') return null;
  for (const [guard, rest] of [args, [args[1], args[0]]]) {
    const node = graph.nodes[guard];
    if (node.op === 'const' && node.value !== 0 && Math.abs(node.value) < GUARD) return rest;
  }
  return null;
}

const PRINTERS: Readonly<Record<Operation, (a: Text, b: Text, c: Text) => Text>> = {
  add: sum,
  sub: (a, b) => text(`${within(a, Binding.Sum)} - ${within(b, Binding.Product)}`, Binding.Sum),
  mul: product,
  div: quotient,
  pow: power,
  neg: negative,
  lt: compared('<'),
  le: compared('\\le'),
  gt: compared('>'),
  ge: compared('\\ge'),
  eq: compared('='),
  ne: compared('\\ne'),
  minimum: extreme('\\min'),
  maximum: extreme('\\max'),
  where: cases,
  exp: (a) => text(`e^{${a.latex}}`, Binding.Power),
  expm1: (a) => text(`e^{${a.latex}} - 1`, Binding.Sum),
  log: logarithm,
  log1p: (a) => logarithm(sum(text('1'), a)),
  sqrt: (a) => text(`\\sqrt{${a.latex}}`),
  ceil: enclosed('\\lceil', '\\rceil'),
  floor: enclosed('\\lfloor', '\\rfloor'),
  abs: enclosed('|', '|'),
};

/** A name as it stands in an equation when it has no symbol: upright, underscores and all. */
export const nameLatex = (name: string): string => `\\text{${name.replaceAll('_', '\\_')}}`;

/** The right-hand side for one node. `named`: nodes that are referred to instead of repeated. */
export function latexOf(
  graph: Graph,
  result: number,
  symbols: (input: string) => string,
  named: ReadonlyMap<number, string> = new Map(),
): string {
  const texts = new Map<number, Text>();
  const of = (k: number): Text => texts.get(k) as Text;
  for (const k of liveNodes(graph, result)) {
    const node = graph.nodes[k];
    const own = k === result ? undefined : named.get(k);
    if (own !== undefined) texts.set(k, text(own));
    else if (node.op === 'const') texts.set(k, constant(node.value));
    else if (node.op === 'input') texts.set(k, text(symbols(graph.inputs[node.input])));
    else {
      const { op, args } = node as { op: Operation; args: readonly number[] };
      const rest = guarded(graph, op, args);
      if (rest !== null) texts.set(k, of(rest));
      else if (op === 'mul' && args[0] === args[1]) texts.set(k, power(of(args[0]), text('2')));
      else texts.set(k, PRINTERS[op](of(args[0]), of(args[1] ?? args[0]), of(args[2] ?? args[0])));
    }
  }
  return of(result).latex;
}
