// SPDX-License-Identifier: Apache-2.0
// The frame of a panel: scales, ticks that fit, titles with units.
import { brief } from '../../../plots/number';
import { decadeTicks, makeScale, niceTicks, type Scale } from '../../../plots/scale';
import { AXIS, END, LETTER_PX, line, MIDDLE, type Shape, TICK, text } from '../../../plots/shapes';
import { shortName } from '../../explorer/figure/messages';
import type { Axis } from '../definition';
import { asked, type OnAxes } from '../quantities';

export interface Size {
  readonly width: number;
  readonly height: number;
  /** A small multiple: few ticks, short titles, no labels. */
  readonly small: boolean;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Frame extends Size {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
  /** Whether the names of the lines stand beside the plot. */
  readonly areBeside: boolean;
  /** Where the names of the lines stand when there is no room for them beside the plot. */
  readonly legend: readonly Place[] | null;
}

export const SWATCH = 18;
const LEGEND_ROW = 16;

export const tickWords = (v: number): string => brief(v, 5);

export const axisTitle = ({ label, unit, spacing }: Pick<Axis, 'label' | 'unit' | 'spacing'>): string =>
  `${label}${unit ? `, ${unit}` : ''}${spacing === 'log' ? ', log scale' : ''}`;

function ticksOf(axis: Axis, count: number): readonly number[] {
  if (axis.ticks) return axis.ticks;
  const [lo, hi] = axis.domain;
  return axis.spacing === 'log' ? decadeTicks(lo, hi) : niceTicks(lo, hi, count);
}

/** As many of the ticks as there is room to name, the ends first. */
export function named(ticks: readonly number[], at: (v: number) => number, room: (v: number) => number): number[] {
  const kept: number[] = [];
  const ends = ticks.length > 1 ? [ticks[0], ticks[ticks.length - 1]] : ticks;
  for (const v of [...ends, ...ticks])
    if (kept.every((k) => k !== v && Math.abs(at(k) - at(v)) >= (room(k) + room(v)) / 2)) kept.push(v);
  return kept;
}

/** Names in rows above the plot, each with room for a stroke before it. */
function legendOf(names: readonly string[], width: number): Place[] {
  let [x, y] = [0, 30];
  return names.map((name) => {
    const room = SWATCH + name.length * LETTER_PX.name + 14;
    if (x > 0 && x + room > width) [x, y] = [0, y + LEGEND_ROW];
    const place = { x, y };
    x += room;
    return place;
  });
}

/** Of the width, for the names of lines beside the plot. */
const MOST_BESIDE = 0.3;
const MOST_BESIDE_SMALL = 0.4;

export function frameOf(x: Axis, y: Axis, size: Size, names: readonly string[]): Frame {
  const { width, height, small } = size;
  const yTicks = ticksOf(y, small ? 3 : 6);
  const widest = Math.max(...yTicks.map((v) => tickWords(v).length));
  const left = Math.ceil(widest * LETTER_PX.digit + (small ? 8 : 14));
  const beside = Math.max(0, ...names.map((n) => n.length)) * LETTER_PX.name + 14;
  const narrow = !small && (width < 480 || beside > MOST_BESIDE * width);
  const areBeside = names.length > 0 && !narrow && !(small && beside > MOST_BESIDE_SMALL * width);
  const right = width - (areBeside ? beside : small ? 6 : 14);
  const legend = narrow ? legendOf(names, width) : null;
  const top = small ? 22 : legend && legend.length > 0 ? legend[legend.length - 1].y + 18 : 30;
  const bottom = height - (small ? 36 : 42);
  return {
    ...size,
    left,
    right,
    top,
    bottom,
    legend,
    areBeside,
    x: makeScale(x.ticks ?? [], x.spacing, x.domain, [left, right]),
    y: makeScale(y.ticks ?? [], y.spacing, y.domain, [bottom, top]),
    xTicks: ticksOf(x, small ? 3 : 7),
    yTicks,
  };
}

export function gridShapes({ left, right, y, yTicks }: Frame): Shape[] {
  return yTicks.map((v) => line(left, y(v), right, y(v), { stroke: 'var(--line)' }));
}

export function axisShapes(x: Axis, y: Axis, frame: Frame, of: OnAxes): Shape[] {
  const { left, right, bottom, small } = frame;
  const out: Shape[] = [line(left, bottom, right, bottom, { stroke: 'var(--line-3)' })];
  for (const v of named(frame.yTicks, frame.y, () => 14))
    out.push(text(left - (small ? 5 : 8), frame.y(v), tickWords(v), { dy: '0.32em', ...END, ...TICK }));
  for (const v of frame.xTicks) out.push(line(frame.x(v), bottom, frame.x(v), bottom + 4, { stroke: 'var(--line-3)' }));
  const room = (v: number): number => tickWords(v).length * LETTER_PX.digit + (small ? 12 : 8);
  for (const v of named(frame.xTicks, frame.x, room)) {
    const X = frame.x(v);
    const half = (tickWords(v).length * LETTER_PX.digit) / 2;
    const anchor = X + half > frame.width ? END : X - half < 0 ? {} : MIDDLE;
    out.push(text(anchor === END ? frame.width : X, bottom + (small ? 15 : 17), tickWords(v), { ...anchor, ...TICK }));
  }
  return [...out, ...titleShapes(x, y, frame, of)];
}

/** What a small multiple calls an axis: as much of it as there is room for, and its unit rather than a longer name. */
function briefTitle(axis: Axis, name: string | undefined, room: number): string {
  const unit = axis.unit.replace(/ of .*/, '').replace('per second', '1/s');
  const short = name === undefined ? axis.label : shortName({ name, label: axis.label });
  const titles = [
    axisTitle(axis),
    axisTitle({ ...axis, spacing: 'linear' }),
    ...[axis.label, short].map((label) => axisTitle({ label, unit, spacing: 'linear' })),
  ];
  return titles.find((title) => title.length * LETTER_PX.sentence <= room) ?? titles[titles.length - 1];
}

/** What the axes show, in which units. */
export function titleShapes(x: Axis, y: Axis, { left, width, height, small }: Frame, of: OnAxes): Shape[] {
  if (!small)
    return [
      text(0, 12, axisTitle(y), { ...AXIS, ...asked(of.y) }),
      text(left, height - 6, axisTitle(x), { ...AXIS, ...asked(of.x) }),
    ];
  const along = briefTitle(x, of.x, width);
  // from the plot's left edge, or as far from the picture's as it needs
  const from = Math.max(0, Math.min(left, width - along.length * LETTER_PX.sentence));
  return [text(0, 12, briefTitle(y, of.y, width), AXIS), text(from, height - 4, along, AXIS)];
}
