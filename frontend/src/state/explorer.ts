// SPDX-License-Identifier: Apache-2.0
// What is looked at: everything on the explorer's screen follows from this and the data.
import type { FactorValue } from '../api/types';
import type { Frames } from './binding';
import type { Contrast, Figure, Turn } from './figure';
import type { Pin } from './pins';

export const METHODS = ['paper-tls', 'whitened', 'ols'] as const;
export type Method = (typeof METHODS)[number];
export type Surface = 'model' | 'cells';

export interface ExplorerState {
  /** One level of each factor that is neither axis. */
  readonly where: Readonly<Record<string, FactorValue>>;
  readonly measure: string;
  readonly surface: Surface;
  readonly figure: Figure;
  /** Where the 3D surface is seen from. */
  readonly turn: Turn;
  /** How the residual and difference maps count. */
  readonly contrast: Contrast;
  /** The experiment that the difference map is against. */
  readonly against: string | null;
  /** Settings of the upward axis whose lines are drawn; null: all. */
  readonly lines: readonly number[] | null;
  /** The crosshair, in the axes' own units; null: the experiment has no such axis. */
  readonly x: number | null;
  readonly y: number | null;
  /** null: the model that suits the measure best. */
  readonly model: string | null;
  readonly method: Method;
  readonly frames: Frames;
  /** Sliders that were moved. */
  readonly byHand: Readonly<Record<string, number>>;
  /** Parameter sets drawn beside the one in hand. */
  readonly pins: readonly Pin[];
}

/** What an address may say about one experiment, or one model without data. */
export interface Terms {
  readonly choices: readonly { readonly name: string; readonly levels: readonly FactorValue[] }[];
  /** The state an address without parameters means. */
  readonly defaults: ExplorerState;
  /** Given the choices that were made: other cells, other measures and settings. */
  slice(where: Readonly<Record<string, FactorValue>>): SliceTerms;
}

export interface AxisTerms {
  readonly name: string;
  readonly lo: number;
  readonly hi: number;
  readonly levels: readonly number[];
  readonly start: number;
}

export interface ModelTerms {
  readonly id: string;
  readonly sliders: readonly { readonly name: string; readonly lo: number; readonly hi: number }[];
}

export interface SliceTerms {
  /** With cells here; the first is the default. */
  readonly measures: readonly string[];
  readonly x: AxisTerms | null;
  readonly y: AxisTerms | null;
  /** Models that predict the measure here; the first is the default. */
  models(measure: string): readonly ModelTerms[];
}

export interface Rejected {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
}

/** The values as they go into an address: short, and the same when read back. */
export const shortened = (v: number): number => Number(v.toPrecision(4));

/** The state that an address with nothing but these choices means. */
export function stateFor(terms: Terms, where: Readonly<Record<string, FactorValue>>): ExplorerState {
  const slice = terms.slice(where);
  const { measure } = terms.defaults;
  return {
    ...terms.defaults,
    where,
    measure: slice.measures.includes(measure) || slice.measures.length === 0 ? measure : slice.measures[0],
    x: slice.x?.start ?? null,
    y: slice.y?.start ?? null,
  };
}
