// SPDX-License-Identifier: Apache-2.0
// What an address shows, in words that do not depend on how the page keeps its state.
import { type Advice, START_ADVICE } from '../../../src/state/advice';
import type { ExplorerState, ViewSchema } from '../../../src/state/explorer';
import { levelAt } from '../../../src/state/layout';

/** Addresses from before they were there name no kernel, nothing that is set now, and weigh no energy; unfolded was a yes or no. */
function adviceOf({ open, kernel, current, weights: { energy, ...others }, ...rest }: Advice): object {
  const set = Object.keys(current).length > 0 ? { current } : {};
  const weights = energy === START_ADVICE.weights.energy ? others : { ...others, energy };
  return {
    ...rest,
    ...set,
    weights,
    ...(kernel === null ? {} : { kernel }),
    open: open === 'apply' ? open : open !== null,
  };
}

export function meaningOf(state: ExplorerState, schema: ViewSchema): Record<string, unknown> {
  const slice = schema.slice(state);
  const at: Record<string, string> = {};
  if (slice.x && state.x !== null) at[slice.x.name] = levelAt(slice.x, state.x);
  if (slice.y && state.y !== null) at[slice.y.name] = levelAt(slice.y, state.y);
  const lines = slice.y && state.lines?.map((v) => (slice.y ? levelAt(slice.y, v) : ''));
  const scale = (asked: string | null, scales: readonly string[] | undefined) => asked ?? scales?.[0] ?? 'none';
  return {
    x: state.axes.x,
    y: state.axes.y,
    facet: state.axes.facet,
    scales: [scale(state.axes.xScale, slice.x?.scales), scale(state.axes.yScale, slice.y?.scales)],
    where: state.where,
    measure: state.measure,
    // without one, the model that suits best: a later page may know a better one
    model: state.model ?? 'the best',
    fit: state.method,
    frames: state.frames,
    surface: state.surface,
    figure: state.figure,
    turn: [state.turn.round, state.turn.above],
    contrast: state.contrast,
    against: state.against,
    lines: lines ?? 'all',
    at,
    sliders: state.overrides,
    pins: state.pins,
    // addresses from before they were there say nothing of them
    ...(state.axes.facetLevels ? { beside: state.axes.facetLevels } : {}),
    ...(state.base ? { idle: 'fitted' } : {}),
    ...(state.pull === null ? {} : { pull: state.pull }),
    ...(JSON.stringify(state.advice) === JSON.stringify(START_ADVICE) ? {} : { advice: adviceOf(state.advice) }),
  };
}
