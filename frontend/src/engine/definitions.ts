// SPDX-License-Identifier: Apache-2.0
// The glossary: every quantity with its symbol as MathML, made when the page was built from the objects that write docs/glossary.md.
import definitions from 'virtual:definitions';
import type { Quantity } from '../api/types';
import { catalogue } from './catalogue';

export interface Definition extends Quantity {
  readonly symbolMath: string;
}

export const DEFINITIONS: readonly Definition[] = catalogue.quantities.map((q) => ({
  ...q,
  ...definitions[q.name],
}));

export const definitionOf = (name: string): Definition | undefined => DEFINITIONS.find((d) => d.name === name);

/** The models that take or predict a quantity. */
export const modelsOf = (name: string) =>
  catalogue.models.filter((m) => [...m.inputs, ...m.parameters, ...m.outputs].some((q) => q.name === name));
