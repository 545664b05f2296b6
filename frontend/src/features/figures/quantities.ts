// SPDX-License-Identifier: Apache-2.0
// Which quantities of the glossary stand on a panel's axes and above a table's columns, where they are ones. No DOM.
import type { Attributes } from '../../plots/shapes';
import type { Column, Panel, Source, Term } from './definition';

export interface OnAxes {
  readonly x?: string;
  readonly y?: string;
}

/** A number over others is a quantity of its own, and has another name. */
const ofTerm = (term: Term): string | undefined => (term.over ? undefined : term.of);

function ofSource(source: Source): OnAxes {
  if (source.from === 'cells') return { x: ofTerm(source.x), y: ofTerm(source.y) };
  if (source.from === 'model') return { x: source.along, y: source.output };
  return source.from === 'model-at-cells' ? { x: ofTerm(source.x), y: source.output } : {};
}

export function quantitiesOn(panel: Panel): OnAxes {
  if (panel.form === 'heat') return { x: panel.model.across, y: panel.model.up };
  if (panel.form === 'lines') {
    const all = panel.sources.map(ofSource);
    return { x: all.find(({ x }) => x)?.x, y: all.find(({ y }) => y)?.y };
  }
  if (panel.form === 'table') return {};
  const { bars } = panel;
  return 'cells' in bars ? { x: ofTerm(bars.name), y: ofTerm(bars.value) } : { x: bars.along, y: bars.model.output };
}

export function quantityAbove({ value }: Column): string | undefined {
  if ('term' in value) return ofTerm(value.term);
  return 'use' in value && value.observed === undefined ? value.use.output : undefined;
}

/** For the title of an axis: what it opens when it is pressed. */
export const asked = (name: string | undefined): Attributes => (name === undefined ? {} : { 'data-quantity': name });
