// SPDX-License-Identifier: Apache-2.0
// `virtual:models`: the built-in models, traced by Python when the page is built. Kernels become
// functions of the bundle (no eval in the browser), LaTeX becomes MathML (no renderer in the browser), which each model's page fetches for
// itself from `virtual:equations/<id>`: it is most of the text. `virtual:sources` has each model's Python, as the workshop starts from it;
// `virtual:notes` has what each model says of itself besides its summary; `virtual:about/<id>` what its page tells besides; `virtual:definitions` what the glossary tells of every quantity besides;
// `virtual:references` what each model answers at some points, for tests; `virtual:axes` which factors ask for a delay, and which stand upward; `virtual:following` what follows from what.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { mathml } from '../src/engine/mathml.ts';
import { publishedTable, readPublished } from './published.ts';
import { modelsSource, runPython } from './python.ts';

const ID = 'virtual:models';
const RESOLVED = '\0virtual:models';
const EQUATIONS = 'virtual:equations/';
const RESOLVED_EQUATIONS = `\0${EQUATIONS}`;

const ABOUT = 'virtual:about/';
const RESOLVED_ABOUT = `\0${ABOUT}`;

const DEFINITIONS = 'virtual:definitions';

const NOTES = 'virtual:notes';

const REFERENCES = 'virtual:references';

const AXES = 'virtual:axes';

const FOLLOWING = 'virtual:following';

/** Modules that tell of all models, or quantities, at once. */
const WHOLE = [AXES, DEFINITIONS, FOLLOWING, NOTES, REFERENCES];

const SOURCES = 'virtual:sources';
const RESOLVED_SOURCES = `\0${SOURCES}`;

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
  readonly about: object;
  readonly notes: readonly string[];
  readonly citation: string;
  readonly reference: readonly object[];
  readonly [key: string]: unknown;
}

interface Bundle {
  readonly format: number;
  readonly models: readonly TracedModel[];
  readonly quantities: readonly (Named & { readonly name: string })[];
  readonly delays: object;
  readonly following: object;
}

/** A kernel's module text as an expression: what it declares besides stays private to it. */
export function kernelExpression(text: string): string {
  const body = text.replace(/export\s+default\s+function\s+kernel\b/, 'function kernel');
  if (body === text) throw new Error('a kernel has no "export default function kernel"');
  if (body.startsWith('function kernel')) return body.trim();
  return `(() => {\n${body}\nreturn kernel;\n})()`;
}

/** What a model says of a parameter besides what it is. */
const OWN = ['default', 'lo', 'hi', 'step'];
/** What is told elsewhere: by `virtual:definitions`, the symbol as LaTeX besides. */
const LATER = ['description', 'source', 'axis'];

const part = (of: object, has: (field: string) => boolean) => Object.entries(of).filter(([field]) => has(field));

/**
 * A quantity stands in several models and in the glossary: each is written once, `q[i]`, and with its symbol where it stands in a model.
 * A parameter is its quantity and what the model says besides.
 */
function dictionary() {
  const texts: string[] = [];
  const places = new Map<string, number>();
  const refer = (quantity: object, spell: (q: Named) => object): string => {
    const key = JSON.stringify(quantity);
    const place = places.get(key) ?? texts.push(JSON.stringify(spell(quantity as Named))) - 1;
    places.set(key, place);
    return `q[${place}]`;
  };
  const list = (named: readonly Named[], spell: (q: Named) => object): string => {
    const items = named.map((each) => {
      const own = part(each, (field) => OWN.includes(field));
      const rest = part(each, (field) => !OWN.includes(field) && !LATER.includes(field));
      const place = refer(Object.fromEntries(rest), spell);
      return own.length === 0
        ? place
        : `{ ...${place}, ${own.map(([field, value]) => `${field}: ${JSON.stringify(value)}`).join(', ')} }`;
    });
    return `[${items.join(', ')}]`;
  };
  return { texts, list };
}

const plain = ({ symbol: _, ...q }: Named): object => q;
const symbolic = (q: Named): object => ({ ...plain(q), symbolMath: mathml(q.symbol, false) });

const loaders = ({ models }: Bundle, from: string): string =>
  `{${models.map(({ id }) => `${JSON.stringify(id)}: () => import(${JSON.stringify(from + id)})`).join(', ')}}`;

/** What the page needs of a model at once. */
function modelText(model: TracedModel, { list }: ReturnType<typeof dictionary>): string {
  const {
    latex: _0,
    equations: _1,
    about: _2,
    kernels: _3,
    graph: _4,
    reference: _5,
    notes: _6,
    citation: _7,
    ...told
  } = model;
  const { inputs, parameters, outputs, ...rest } = told;
  const named = Object.entries({ inputs, parameters, outputs }).map(([name, of]) => `${name}: ${list(of, symbolic)}`);
  return `{ ...${JSON.stringify(rest)}, ${named.join(', ')} }`;
}

/** They are made when they are asked for: a page shows one model or two. */
function kernelsText({ id, kernels }: TracedModel): string {
  const own = Object.entries(kernels).map(([output, text]) => `${JSON.stringify(output)}: ${kernelExpression(text)}`);
  return `${JSON.stringify(id)}: () => ({\n${own.join(',\n')}\n})`;
}

function moduleText(bundle: Bundle): string {
  const words = dictionary();
  const models = bundle.models.map((model) => modelText(model, words));
  const quantities = words.list(bundle.quantities, plain);
  return [
    `const q = [\n${words.texts.join(',\n')}\n];`,
    `export const models = [\n${models.join(',\n')}\n];`,
    `export const quantities = ${quantities};`,
    `export const kernels = {\n${bundle.models.map(kernelsText).join(',\n')}\n};`,
    `export const equations = ${loaders(bundle, EQUATIONS)};`,
    `export const about = ${loaders(bundle, ABOUT)};`,
  ].join('\n');
}

const referencesText = ({ models }: Bundle): string =>
  `export default ${JSON.stringify(Object.fromEntries(models.map(({ id, reference }) => [id, reference])))};`;

const notesText = ({ models }: Bundle): string =>
  `export default ${JSON.stringify(Object.fromEntries(models.map(({ id, notes, citation }) => [id, { notes, citation }])))};`;

function equationsText(model: TracedModel): string {
  const equations = Object.fromEntries(
    Object.entries(model.equations).map(([output, lines]) => [output, lines.map((line) => mathml(line))]),
  );
  return `export default ${JSON.stringify(equations)};`;
}

function aboutText(bundle: Bundle, model: TracedModel): string {
  const published = readPublished(bundle.models.map(({ id }) => id))[model.id];
  return `export default ${JSON.stringify({ ...model.about, published })};`;
}

const definitionsText = ({ quantities }: Bundle): string => {
  const told = quantities.map(({ name, symbol, description, source, axis }) => {
    return [name, { symbol, symbolMath: mathml(symbol, false), description, source, axis }];
  });
  return `export default ${JSON.stringify(Object.fromEntries(told))};`;
};

const axesText = ({ quantities, delays }: Bundle): string => {
  const upward = quantities.filter((q) => q.axis === 'upward').map(({ name }) => name);
  return `export const delays = ${JSON.stringify(delays)}, upward = ${JSON.stringify(upward)};`;
};

interface Sources {
  readonly format: number;
  readonly template: object;
  readonly models: Readonly<Record<string, object>>;
}

/** Every text is a module of its own: `<id>` of a model, or `template`. */
function sourcesText({ template, models }: Sources, id: string): string {
  if (id !== '') return `export default ${JSON.stringify(id === 'template' ? template : models[id])};`;
  const loaders = ['template', ...Object.keys(models)].map(
    (each) => `${JSON.stringify(each)}: () => import(${JSON.stringify(`${SOURCES}/${each}`)})`,
  );
  return `export const sources = {${loaders.join(', ')}};`;
}

function readSources(): Sources {
  const sources = JSON.parse(
    runPython(['-m', 'coalescope_models.pages.catalogue_sources']).toString('utf8'),
  ) as Sources;
  if (sources.format !== 1) throw new Error(`coalescope_models.pages.catalogue_sources has format ${sources.format}`);
  return sources;
}

function readBundle(): Bundle {
  const bundle = JSON.parse(runPython(['-m', 'coalescope_models.pages.bundle']).toString('utf8')) as Bundle;
  if (bundle.format !== 1)
    throw new Error(`coalescope_models.pages.bundle has format ${bundle.format}, this page reads 1`);
  return bundle;
}

export function models(): Plugin {
  let bundle: Bundle | null = null;
  let sources: Sources | null = null;
  return {
    name: 'coalescope-models',
    resolveId(id) {
      if (id === ID) return RESOLVED;
      if (id.startsWith(ABOUT) || WHOLE.includes(id)) return `\0${id}`;
      return id.startsWith(EQUATIONS) || id === SOURCES || id.startsWith(`${SOURCES}/`) ? `\0${id}` : null;
    },
    load(id) {
      if (id === RESOLVED) {
        for (const file of readdirSync(modelsSource, { recursive: true, encoding: 'utf8' }))
          if (file.endsWith('.py')) this.addWatchFile(join(modelsSource, file));
        bundle = readBundle();
        return moduleText(bundle);
      }
      if (id.startsWith(RESOLVED_SOURCES)) {
        sources ??= readSources();
        return sourcesText(sources, id.slice(RESOLVED_SOURCES.length + 1));
      }
      const part = [RESOLVED_EQUATIONS, RESOLVED_ABOUT].find((each) => id.startsWith(each));
      if (part === undefined && !WHOLE.some((whole) => id === `\0${whole}`)) return null;
      bundle ??= readBundle();
      if (id === `\0${AXES}`) return axesText(bundle);
      if (id === `\0${FOLLOWING}`) return `export default ${JSON.stringify(bundle.following)};`;
      if (id === `\0${REFERENCES}`) return referencesText(bundle);
      if (id === `\0${NOTES}`) return notesText(bundle);
      if (part === undefined) return definitionsText(bundle);
      const model = bundle.models.find((m) => m.id === id.slice(part.length));
      if (!model) return null;
      if (part === RESOLVED_EQUATIONS) return equationsText(model);
      this.addWatchFile(publishedTable);
      return aboutText(bundle, model);
    },
  };
}
