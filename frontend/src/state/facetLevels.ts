// SPDX-License-Identifier: Apache-2.0
// Other levels of the facet side by side. No DOM.
import type { FactorValue } from '../api/types';
import { type ExplorerState, type ViewSchema, withAxes, withLevel } from './explorer';
import { facetLevelsOf } from './layout';

/** The state with these levels of its facet, of which there is at least one; where the chosen one is not among them, the next that is. */
export function withFacetLevels(
  state: ExplorerState,
  levels: readonly FactorValue[],
  schema: ViewSchema,
): ExplorerState {
  const { facet } = state.axes;
  const all = schema.factors.find(({ name }) => name === facet)?.levels ?? [];
  const chosen = state.where[facet];
  const from = all.indexOf(chosen);
  const next = [...all.slice(from), ...all.slice(0, from).reverse()].find((level) => levels.includes(level)) ?? chosen;
  const axes = { ...state.axes, facetLevels: facetLevelsOf(all, next, levels) };
  if (next !== chosen) return withAxes(withLevel(state, facet, next, schema), axes, schema);
  const beside = withAxes(state, axes, schema);
  const linesOf = (of: ExplorerState): string => String(schema.slice(of).y?.levels);
  // the cells of the picture are the same: what was chosen of them stays
  const { model, overrides, lines } = state;
  return { ...beside, model, overrides, lines: linesOf(beside) === linesOf(state) ? lines : beside.lines };
}
