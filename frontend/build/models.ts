// SPDX-License-Identifier: Apache-2.0
// `virtual:models`: the built-in models, traced by Python when the page is built. Kernels become
// functions of the bundle (no eval in the browser), LaTeX becomes MathML (no renderer in the browser), which each model's page fetches for
// itself from `virtual:equations/<id>`: it is most of the text.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import temml from 'temml';
import type { Plugin } from 'vite';
import { modelsSource, runPython } from './python.ts';

const ID = 'virtual:models';
const RESOLVED = '\0virtual:models';
const EQUATIONS = 'virtual:equations/';
const RESOLVED_EQUATIONS = `\0${EQUATIONS}`;

interface Named {
  readonly symbol: string;
  readonly [key: string]: unknown;
}

interface TracedModel {
  readonly id: string;
  readonly inputs: readonly Named[];
  readonly parameters: readonly Named[];
  readonly outputs: readonly Named[];
  /** By output: its own line, then those of what it refers to. */
  readonly equations: Readonly<Record<string, readonly string[]>>;
  readonly kernels: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

interface Bundle {
  readonly format: number;
  readonly models: readonly TracedModel[];
  readonly quantities: readonly unknown[];
}

/** A kernel's module text as an expression: its declarations stay private to it. */
export function kernelExpression(text: string): string {
  const body = text.replace(/export\s+default\s+function\s+kernel\b/, 'function kernel');
  if (body === text) throw new Error('a kernel does not start with "export default function kernel"');
  return `(() => {\n${body}\nreturn kernel;\n})()`;
}

const FENCE = /<mo fence="true" form="(prefix|postfix)" stretchy="true">([^<]*)<\/mo>/g;

/**
 * Brackets that hold a fraction, made tall by the page's style: fonts without a mathematics table do not stretch them, and those with one must
 * not stretch them twice.
 */
export function sizeFences(markup: string): string {
  const open: number[] = [];
  const tall = new Set<number>();
  const found = [...markup.matchAll(FENCE)];
  found.forEach((fence, k) => {
    if (fence[1] === 'prefix') open.push(k);
    else {
      const from = open.pop();
      if (from === undefined) return;
      if (!markup.slice(found[from].index, fence.index).includes('<mfrac')) return;
      tall.add(from).add(k);
    }
  });
  let k = 0;
  return markup.replace(FENCE, (_, form: string, sign: string) => {
    const mark = `<mo fence="true" form="${form}" stretchy="false">${sign}</mo>`;
    return tall.has(k++) ? `<mpadded class="tall" voffset="-0.2em">${mark}</mpadded>` : mark;
  });
}

/**
 * Roots as powers: a browser draws the radical sign only from a font with a mathematics table, and without one the root would silently be
 * missing from the equation.
 */
export function powersForRoots(markup: string): string {
  const root = /<msqrt>((?:(?!<msqrt>)[\s\S])*?)<\/msqrt>/;
  const bracket = (form: string, sign: string): string =>
    `<mo fence="true" form="${form}" stretchy="true">${sign}</mo>`;
  let out = markup;
  while (root.test(out))
    out = out.replace(
      root,
      (_, radicand: string) =>
        `<msup><mrow>${bracket('prefix', '(')}${radicand}${bracket('postfix', ')')}</mrow>` +
        '<mrow><mn>1</mn><mo>/</mo><mn>2</mn></mrow></msup>',
    );
  return out;
}

/** The brace before cases as the left edge of their table, which is as high as they are: no font has to stretch it. */
export function edgesForBraces(markup: string): string {
  return markup
    .replace(
      /<mo fence="true" form="prefix" stretchy="true">{<\/mo>(<mpadded[^>]*>)?<mtable/g,
      '$1<mtable class="cases"',
    )
    .replace(/<mo fence="true" form="postfix" stretchy="true"><\/mo>/g, '');
}

/** MathML without style attributes: the page's content security policy allows none in markup. */
export function mathml(latex: string, displayMode = true): string {
  // trust: the models' own \class{p-NAME} marks parameters, so that the page can underline their cost
  const markup = temml.renderToString(latex, { displayMode, throwOnError: true, trust: true });
  // names of several letters stand upright; the page's style cannot count letters
  const upright = markup.replace(/ style="[^"]*"/g, '').replace(/<mi>([^<]{2,})<\/mi>/g, '<mi class="w">$1</mi>');
  return sizeFences(powersForRoots(edgesForBraces(upright)));
}

const symbolic = (named: readonly Named[]): object[] =>
  named.map((q) => ({ ...q, symbolMath: mathml(q.symbol, false) }));

function moduleText(bundle: Bundle): string {
  const kernels: string[] = [];
  const models = bundle.models.map(
    ({ latex: _latex, equations: _equations, kernels: texts, graph: _graph, ...rest }) => {
      const own = Object.entries(texts).map(([output, text]) => `${JSON.stringify(output)}: ${kernelExpression(text)}`);
      kernels.push(`${JSON.stringify(rest.id)}: {\n${own.join(',\n')}\n}`);
      return {
        ...rest,
        inputs: symbolic(rest.inputs),
        parameters: symbolic(rest.parameters),
        outputs: symbolic(rest.outputs),
      };
    },
  );
  return [
    `export const models = ${JSON.stringify(models)};`,
    `export const quantities = ${JSON.stringify(bundle.quantities)};`,
    `export const kernels = {\n${kernels.join(',\n')}\n};`,
    `export const equations = {${bundle.models.map(({ id }) => `${JSON.stringify(id)}: () => import(${JSON.stringify(EQUATIONS + id)})`).join(', ')}};`,
  ].join('\n');
}

function equationsText(model: TracedModel): string {
  const equations = Object.fromEntries(
    Object.entries(model.equations).map(([output, lines]) => [output, lines.map((line) => mathml(line))]),
  );
  return `export default ${JSON.stringify(equations)};`;
}

function readBundle(): Bundle {
  const bundle = JSON.parse(runPython(['-m', 'coalescope_models.bundle']).toString('utf8')) as Bundle;
  if (bundle.format !== 1) throw new Error(`coalescope_models.bundle has format ${bundle.format}, this page reads 1`);
  return bundle;
}

export function models(): Plugin {
  let bundle: Bundle | null = null;
  return {
    name: 'coalescope-models',
    resolveId(id) {
      if (id === ID) return RESOLVED;
      return id.startsWith(EQUATIONS) ? `\0${id}` : null;
    },
    load(id) {
      if (id === RESOLVED) {
        for (const file of readdirSync(modelsSource, { recursive: true, encoding: 'utf8' }))
          if (file.endsWith('.py')) this.addWatchFile(join(modelsSource, file));
        bundle = readBundle();
        return moduleText(bundle);
      }
      if (!id.startsWith(RESOLVED_EQUATIONS)) return null;
      bundle ??= readBundle();
      const model = bundle.models.find((m) => m.id === id.slice(RESOLVED_EQUATIONS.length));
      return model ? equationsText(model) : null;
    },
  };
}
