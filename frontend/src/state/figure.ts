// SPDX-License-Identifier: Apache-2.0
// Which figure stands above the lines, and from where it is seen.
import type { Binding } from './binding';
import type { Layout, Point } from './layout';
import type { BundledQuantity } from './models';

/** `map`: the surface in colour. `limits`: what binds where, of models that say so. */
export const FIGURES = ['map', '3d', 'residuals', 'difference', 'limits'] as const;
export type Figure = (typeof FIGURES)[number];

/** What a figure is drawn of. */
export interface Drawable {
  readonly layout: Layout;
  readonly measure: BundledQuantity;
  readonly points: readonly Point[];
  readonly binding: Binding | null;
  readonly measured: boolean;
}

/** The output that says what binds. */
export const LIMITS = 'binding_constraint';

/** Why a figure cannot be drawn over this plane; null where it can. */
export function unavailable(figure: Figure, view: Drawable): string | null {
  if (view.layout.shape !== 'plane') return figure === 'map' ? null : 'needs two axes with several settings each';
  const code = view.measure.meanings.length > 0;
  if (figure === 'limits') {
    if (!view.binding) return 'there is no model to say what binds';
    return LIMITS in view.binding.kernels ? null : 'this model does not say what binds';
  }
  if (figure === 'map') return code ? 'a limit is a name, not a height' : null;
  if (code) return 'a limit is a name, not a number';
  if (figure === '3d') return view.binding || view.points.length > 0 ? null : 'no values to plot';
  if (!view.measured) return 'there are no cells to compare with';
  if (figure === 'residuals') return view.binding ? null : 'there is no model to compare with';
  return null;
}

/** The figure that was asked for where it can be drawn, else one that can. */
export function figureOf(asked: Figure, view: Drawable): Figure {
  if (unavailable(asked, view) === null) return asked;
  return view.measure.meanings.length > 0 && unavailable('limits', view) === null ? 'limits' : 'map';
}

/** How two values are set against each other: subtracted, divided, or subtracted in units of the standard error. */
export const CONTRASTS = ['difference', 'ratio', 'errors'] as const;
export type Contrast = (typeof CONTRASTS)[number];

/** From where the 3D surface is seen, in degrees: round the vertical, and above the floor. */
export interface Turn {
  readonly round: number;
  readonly above: number;
}

export const START_TURN: Turn = { round: -32, above: 26 };
const LEAST_ABOVE = 4;
const MOST_ABOVE = 86;

/** Whole degrees: −179 to 180 round, never below the floor nor quite from the top. */
export function turned({ round, above }: Turn, dRound: number, dAbove: number): Turn {
  const whole = Math.round(round + dRound);
  return {
    round: 180 - ((((180 - whole) % 360) + 360) % 360),
    above: Math.max(LEAST_ABOVE, Math.min(MOST_ABOVE, Math.round(above + dAbove))),
  };
}

export const sameTurn = (a: Turn, b: Turn): boolean => a.round === b.round && a.above === b.above;

export const turnText = ({ round, above }: Turn): string => `${round},${above}`;

/** A turn from an address, or what is wrong with it. */
export function readTurn(text: string): Turn | string {
  const [round, above, ...more] = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (more.length > 0 || !Number.isInteger(round) || !Number.isInteger(above))
    return 'is not two whole numbers of degrees';
  if (round <= -180 || round > 180 || above < LEAST_ABOVE || above > MOST_ABOVE)
    return `is not between -179,${LEAST_ABOVE} and 180,${MOST_ABOVE} degrees`;
  return { round, above };
}

const SLUG = /^[a-z0-9][a-z0-9._-]{0,79}$/;

/** The name of another experiment from an address, or what is wrong with it. Whether there is one, the server says. */
export const isSlug = (text: string): boolean => SLUG.test(text);
