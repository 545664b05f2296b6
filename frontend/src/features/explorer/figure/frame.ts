// SPDX-License-Identifier: Apache-2.0
// Where things are in the pair of plots: surface above, lines below, one axis across, one value scale.
import { decimal, digitsFor, digitsOfStep } from '../../../plots/number';
import { decadeTicks, linear, log, makeScale, niceStep, niceTicks, type Scale } from '../../../plots/scale';
import { LETTER_PX } from '../../../plots/shapes';
import { type Axis, isNominal } from '../../../state/layout';
import type { View } from '../../../state/view';
import { cutShort, levelWords, settingText } from './messages';

export interface Box {
  readonly top: number;
  readonly height: number;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly phone: boolean;
  readonly left: number;
  readonly plotWidth: number;
  readonly heat: Box | null;
  readonly lines: Box;
  readonly across: Axis;
  readonly x: Scale;
  readonly y: Scale | null;
  /** Colour and contour bounds. */
  readonly values: readonly [number, number];
  readonly v: Scale;
  readonly logValues: boolean;
  readonly valueTicks: readonly number[];
  readonly valueDigits: number;
  readonly tickDigits: number;
}

/** Of a picture without an axis: one place, without a name, in the middle. */
const NO_AXIS: Axis = { name: '', label: '', unit: '', levels: [0], names: [''], spacing: 'linear' };

/** The part of the value that no setting removes, where it is near enough to be shown as the floor of the lines. */
export function floorOf(view: View, theta: Readonly<Record<string, number>>): number | null {
  if (!view.binding || view.binding.parts.length === 0 || typeof theta.alpha !== 'number') return null;
  return 1000 * theta.alpha;
}

/** Levels that are names, or whose numbers are only counted: a value stands on each, and their lengths are compared. */
export function hasBars({ layout, valueSpacing, values }: Pick<View, 'layout' | 'valueSpacing' | 'values'>): boolean {
  const across = layout.across === 'x' ? layout.x : layout.y;
  return layout.shape === 'line' && isNominal(across) && valueSpacing === 'linear' && values[0] >= 0;
}

function lineBounds(view: View, values: readonly [number, number]): [number, number] {
  if (view.valueSpacing === 'log') {
    const factor = (values[1] / values[0]) ** 0.07;
    return [values[0] / factor, values[1] * factor];
  }
  const span = values[1] - values[0];
  const floor = floorOf(view, view.start);
  let lo = values[0] - 0.06 * span;
  if (values[0] >= 0) lo = hasBars(view) ? 0 : Math.max(0, lo);
  // an axis that nearly reaches zero goes there
  if (values[0] >= 0 && values[0] < 0.3 * span) lo = 0;
  if (floor !== null && floor < values[0] && values[0] - floor < 0.5 * span) lo = floor - 0.07 * span;
  return [lo, values[1] + 0.07 * span];
}

/** Whether the lines' axis begins neither at zero nor, nearly, at a floor that is drawn: whoever compares lengths has to be told. */
export function isCutOff(view: View): boolean {
  if (view.valueSpacing === 'log' || view.values[0] < 0) return false;
  const [lo] = lineBounds(view, view.values);
  const floor = floorOf(view, view.start);
  return lo > 0 && (floor === null || floor < lo);
}

const charWidth = 7;

/** How many letters wide a number is: a thin space is less than one. */
const lettersOf = (number: string): number => number.length - 0.4 * (number.split('\u2009').length - 1);

/** More levels of a choice than this do not stand beside each other: nobody could tell their lines apart. */
export const MOST_OTHERS = 9;

/** Letters of a row's name; what is longer ends in an ellipsis. */
export const LONGEST_NAME = 18;

/** Letters of the name that stands before a value at the right end of a line. */
export const longestName = (phone: boolean): number => (phone ? 8 : 16);

/** Beside the values of a line stand the names of the levels that it is compared with. */
function tagNames({ layout }: View, phone: boolean): number {
  const choice = layout.shape === 'plane' ? undefined : layout.choices.find((c) => c !== layout.facet);
  if (!choice || choice.levels.length > MOST_OTHERS) return 0;
  return 1 + Math.min(longestName(phone), Math.max(...choice.levels.map((l) => levelWords(l).length)));
}

function rowNames({ layout }: View): string[] {
  const { y } = layout;
  return y && layout.shape === 'plane' ? y.levels.map((l) => settingText(y, l)) : [''];
}

/** Where a value stands between the ends of the scale, 0 to 1 within. */
export function fraction(value: number, frame: Pick<Frame, 'values' | 'logValues'>): number {
  const [lo, hi] = frame.values;
  return frame.logValues ? Math.log(value / lo) / Math.log(hi / lo) : (value - lo) / (hi - lo || 1);
}

export function frameOf(view: View, values: readonly [number, number], width: number, height: number): Frame {
  const phone = width < 480;
  const plane = view.layout.shape === 'plane';
  const across =
    (view.layout.across === 'x' ? view.layout.x : view.layout.y) ?? view.layout.x ?? view.layout.y ?? NO_AXIS;
  const bounds = lineBounds(view, values);
  const logValues = view.valueSpacing === 'log';
  const valueTicks = logValues
    ? decadeTicks(bounds[0], bounds[1])
    : niceTicks(bounds[0], bounds[1], phone || plane ? 5 : 7);
  const tickStep = valueTicks.length > 1 ? valueTicks[1] - valueTicks[0] : niceStep((bounds[1] - bounds[0]) / 4);
  const tickDigits = logValues ? Math.max(0, -Math.floor(Math.log10(valueTicks[0] ?? 1))) : digitsOfStep(tickStep);
  const valueDigits = digitsFor(values[1] - values[0]);
  const longest = Math.max(
    ...valueTicks.map((t) => lettersOf(decimal(t, tickDigits))),
    ...rowNames(view).map((words) => Math.min(words.length, LONGEST_NAME)),
  );
  const tag = Math.max(...values.map((t) => lettersOf(decimal(t, valueDigits))));
  const left = Math.max(phone ? 40 : 52, Math.ceil(longest * charWidth + 12));
  const right = Math.max(phone ? 46 : 64, Math.ceil(28 + (tag + tagNames(view, phone) + 0.5) * 7));
  const top = plane ? (view.layout.y?.bounds ? 34 : 26) : 36;
  const gap = phone ? 40 : 42;
  const bottom = 40;
  const plotWidth = Math.max(40, width - left - right);
  const inner = Math.max(80, height - top - bottom - (plane ? gap : 0));
  const heatHeight = plane ? Math.round(inner * (view.figure === '3d' ? 0.66 : phone ? 0.54 : 0.585)) : 0;
  const heat: Box | null = plane ? { top, height: heatHeight } : null;
  const lines: Box = plane ? { top: top + heatHeight + gap, height: inner - heatHeight } : { top, height: inner };
  const xBounds = across === view.layout.y ? view.yBounds : view.xBounds;
  return {
    width,
    height,
    phone,
    left,
    plotWidth,
    heat,
    lines,
    across,
    x: makeScale(across.levels, across.spacing, xBounds, [left, left + plotWidth]),
    y:
      heat && view.layout.y
        ? makeScale(view.layout.y.levels, view.layout.y.spacing, view.yBounds, [heat.top + heat.height, heat.top])
        : null,
    values,
    v: (logValues ? log : linear)(bounds, [lines.top + lines.height, lines.top]),
    logValues,
    valueTicks,
    valueDigits,
    tickDigits,
  };
}

/** Ticks of an axis that fit: all are marked, as many are labelled as there is room for. */
export function labelledLevels(
  levels: readonly number[],
  at: (v: number) => number,
  room: (v: number) => number,
): number[] {
  const kept: number[] = [];
  const ends = levels.length > 1 ? [levels[0], levels[levels.length - 1]] : levels;
  const free = (v: number): boolean => kept.every((k) => Math.abs(at(k) - at(v)) >= (room(k) + room(v)) / 2);
  for (const v of [...ends, ...levels]) if (!kept.includes(v) && free(v)) kept.push(v);
  return kept.sort((a, b) => a - b);
}

/** A setting on an axis. */
export const tickWords = (axis: Axis, value: number): string => cutShort(settingText(axis, value), LONGEST_NAME);

/** Pixels that the label of a setting takes on the axis across. */
export const labelRoom =
  (axis: Axis) =>
  (v: number): number =>
    tickWords(axis, v).length * LETTER_PX.digit + 6;
