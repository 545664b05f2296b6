// SPDX-License-Identifier: Apache-2.0
// One picture's worth of data: everything that stands still while a slider or the crosshair moves.
import type { FactorValue, Fit, Kind } from '../api/types';
import { contourLevels } from '../plots/contours';
import { decadeTicks, niceTicks } from '../plots/scale';
import type { Binding } from './binding';
import { boundsOf, coarse, NOWHERE, valueBounds } from './bounds';
import { bindingOf, type DataSlice, type DataSlices, throughCells } from './dataSlice';
import type { ExplorerState } from './explorer';
import type { Field } from './field';
import { type Figure, figureOf } from './figure';
import { pooledShare, type Slider, slidersOf, whyNotDrawn } from './fit';
import { type Layout, type Point, pointsOf, type SliceSelection, ties } from './layout';
import { type BundledModel, type BundledQuantity, fittedAs, isCost, isRatio } from './models';
import { pointsOver, termOver } from './observed';
import { type Partner, partnerOf } from './partner';
import type { Place } from './planned';
import type { ExperimentSubject, Subject } from './subject';

type Mode = 'model' | 'interpolated' | 'cells' | 'blank';

/** One level of the facet: its cells, on the axes and the scales of all. */
export interface Facet {
  readonly level: FactorValue;
  /** The one with the crosshair and the panel. */
  readonly chosen: boolean;
  readonly points: readonly Point[];
}

export interface View {
  readonly kind: Kind | null;
  /** What stands above the lines: what was asked for, where it can be drawn. */
  readonly figure: Figure;
  /** The other experiment of the difference map; null until it is there. */
  readonly partner: Partner | null;
  readonly slice: DataSlice;
  readonly layout: Layout;
  readonly measure: BundledQuantity;
  readonly points: readonly Point[];
  /** The setting that is recommended, while its section is open. */
  readonly best?: Place | null;
  /** Empty without a facet. */
  readonly facets: readonly Facet[];
  readonly ties: readonly (readonly [Point, Point])[];
  readonly models: readonly Binding[];
  readonly binding: Binding | null;
  /** A model that would be drawn by default, were it not for its fit. */
  readonly turnedDown: { readonly model: BundledModel; readonly why: string } | null;
  readonly field: Field | null;
  readonly mode: Mode;
  readonly fit: Fit | null;
  readonly sliders: readonly Slider[];
  /** Half a pooled interval as a share of the mean, where the cells have no deviation of their own. */
  readonly pooled: number | null;
  /** Why intervals are made of blocks, sessions or rounds, absent, or not sure; null where none is. */
  readonly dependence: string | null;
  /** Where every slider starts. */
  readonly start: Readonly<Record<string, number>>;
  readonly xBounds: readonly [number, number];
  readonly yBounds: readonly [number, number];
  /** Bounds of colour and height, and how the scale between them runs; contour levels within. */
  readonly values: readonly [number, number];
  readonly valueSpacing: 'linear' | 'log';
  readonly contours: readonly number[];
  /** Nothing measured: no hull, no hatching. */
  readonly measured: boolean;
}

/** Among more cells nobody looks for two that are not significantly different. */
const MOST_TIED = 2000;

function dependenceOf(subject: Subject, measure: string): string | null {
  const found = subject.of === 'experiment' ? subject.independence?.[measure] : undefined;
  return found && found.verdict !== 'none_found' ? found.reason : null;
}

function modeOf(
  state: ExplorerState,
  figure: Figure,
  binding: Binding | null,
  field: Field | null,
  waiting: boolean,
): Mode {
  // the other figures have no surface that could be off
  if (state.surface === 'cells' && (figure === 'map' || figure === '3d')) return 'cells';
  if (binding) return waiting ? 'blank' : 'model';
  return field ? 'interpolated' : 'cells';
}

function facetsOf(
  slices: DataSlices,
  { axes, where }: SliceSelection,
  measure: string,
  own: readonly Point[],
): Facet[] {
  const { layout } = slices({ axes, where });
  const { facet } = layout;
  return (facet?.levels ?? []).flatMap((level): Facet[] => {
    const chosen = level === where[axes.facet];
    if (chosen) return [{ level, chosen, points: own }];
    const { cells } = slices({ axes, where: { ...where, [axes.facet]: level } });
    return cells.length === 0 ? [] : [{ level, chosen, points: pointsOf(layout, cells, {}, measure, null) }];
  });
}

/** `waiting`: the fit that the sliders start from is on its way. `other`: what the difference map is against. */
export function viewOf(
  subject: Subject,
  slices: DataSlices,
  state: ExplorerState,
  fit: Fit | null,
  waiting: boolean,
  other: ExperimentSubject | null = null,
): View {
  const slice = slices(state);
  const measure =
    [...slice.measures, ...slice.missing].find((m) => m.name === state.measure) ??
    slice.measures[0] ??
    slice.missing[0];
  const asked = bindingOf(slice, state);
  // whoever chose a model, or has moved a slider of it, sees it as it is
  const byDefault = state.model === null && Object.keys(state.overrides).length === 0 && state.pins.length === 0;
  const why = asked && byDefault && subject.of === 'experiment' && fit ? whyNotDrawn(fit) : null;
  const turnedDown = asked && why !== null ? { model: asked.model, why } : null;
  const binding = turnedDown ? null : asked;
  const observed = (subject.of === 'model' && subject.observed) || null;
  const fitted = observed?.fit ?? (binding && fittedAs(binding.model) ? fit : null);
  const pooled = isCost(measure.name) ? pooledShare(fitted) : null;
  const terms = binding?.terms ?? [];
  const sliders = slidersOf(observed ? terms.map((t) => termOver(t, observed)) : terms, fitted, state.overrides);
  const start = Object.fromEntries(sliders.map((s) => [s.name, s.start]));
  const points =
    observed && binding?.output === observed.fit.output
      ? pointsOver(observed, binding, slice.layout, start)
      : pointsOf(slice.layout, slice.cells, {}, measure.name, pooled);
  const field = throughCells(slice, points, measure.name);
  const measured = subject.of === 'experiment' || points.length > 0;
  const figure = figureOf(state.figure, { layout: slice.layout, binding, measured, points, measure });
  const mode = modeOf(state, figure, binding, field, waiting && binding !== null && fittedAs(binding.model) !== null);
  const modelled = !waiting || mode === 'model' ? binding : null;
  const z = coarse({ layout: slice.layout, binding: modelled, field, start }, state.frames);
  const facets = facetsOf(slices, state, measure.name, points);
  const xBounds = slice.layout.x ? boundsOf(slice.layout.x, false) : NOWHERE;
  const yBounds = slice.layout.y ? boundsOf(slice.layout.y, slice.layout.shape === 'plane') : NOWHERE;
  const found = figure === 'difference' && other ? partnerOf(slice.layout, state.where, measure.name, other) : null;
  // what lies beyond the picture's own settings has nothing to be compared with, and does not stretch its scale
  const within = ({ x, y }: Point): boolean => x >= xBounds[0] && x <= xBounds[1] && y >= yBounds[0] && y <= yBounds[1];
  const partner = found && { ...found, points: found.points.filter(within) };
  // what is compared shares one scale
  const values = valueBounds([...points, ...facets.flatMap((f) => f.points), ...(partner?.points ?? [])], z);
  const valueSpacing = isRatio(measure.name) && values[0] > 0 && values[1] / values[0] > 12 ? 'log' : 'linear';
  const ticks = valueSpacing === 'log' ? decadeTicks(values[0], values[1]) : niceTicks(values[0], values[1], 7);
  return {
    kind: subject.of === 'experiment' ? subject.experiment.kind : (observed?.kind ?? null),
    figure,
    partner,
    slice,
    layout: slice.layout,
    measure,
    points,
    facets,
    ties: points.length > MOST_TIED ? [] : ties(slice.layout, points),
    models: slice.bindings(state.measure),
    binding,
    turnedDown,
    field,
    mode,
    fit: fitted,
    sliders,
    pooled,
    dependence: dependenceOf(subject, measure.name),
    start,
    xBounds,
    yBounds,
    values,
    valueSpacing,
    contours: valueSpacing === 'log' ? ticks : contourLevels(z, ticks, values[0], values[1]),
    measured,
  };
}
