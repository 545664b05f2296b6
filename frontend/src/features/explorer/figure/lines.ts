// SPDX-License-Identifier: Apache-2.0
// The lower plot: one line a setting, points with their intervals, one value scale with the surface above.

import { decimal } from '../../../plots/number';
import {
  type Attributes,
  AXIS,
  END,
  gathered,
  HALO,
  hundredths,
  line,
  MIDDLE,
  mark,
  NOTE,
  path,
  polyline,
  rect,
  type Shape,
  TICK,
  text,
  tick,
} from '../../../plots/shapes';
import type { Pen } from '../../../plots/simplified';
import type { View } from '../../../state/view';
import { type Frame, floorOf, hasBars, labelledLevels, labelRoom, tickWords } from './frame';
import type { FrameData, Sampler, Series } from './live';
import { axisTitle, levelWords, settingText, titleWithUnit, upwardTitle } from './messages';

/** Lines at round values: under everything, the crosshair too. */
export const grid = (frame: Frame): Shape[] =>
  frame.valueTicks.map((v) =>
    line(frame.left, frame.v(v), frame.left + frame.plotWidth, frame.v(v), { stroke: 'var(--line)' }),
  );

/** Axes and their titles; the crosshair runs behind them. */
export function axes(view: View, frame: Frame): Shape[] {
  const { left, plotWidth, lines, across } = frame;
  const right = left + plotWidth;
  const bottom = lines.top + lines.height;
  const out: Shape[] = frame.valueTicks.map((v) =>
    text(left - 8, frame.v(v), decimal(v, frame.logValues ? (v < 1 ? frame.tickDigits : 0) : frame.tickDigits), {
      dy: '0.32em',
      ...END,
      ...TICK,
    }),
  );
  const scale = frame.logValues ? ', log scale' : '';
  out.push(
    // without a plot above it, the crosshair's setting stands between title and plot
    text(0, lines.top - (frame.heat ? 14 : 20), titleWithUnit(view.measure) + scale, {
      ...AXIS,
      ...HALO,
      'data-quantity': view.measure.name,
    }),
  );
  const y = view.layout.y;
  const flat = frame.heat !== null && view.figure !== '3d';
  if (frame.heat && y && flat)
    out.push(text(0, frame.heat.top - 12, upwardTitle(y, frame.phone), { ...AXIS, 'data-quantity': y.name }));
  const labels = labelledLevels(across.levels, frame.x, labelRoom(across));
  const ticks: Shape[] = [];
  for (const level of across.levels) {
    const X = frame.x(level);
    const below = frame.heat && flat ? [frame.heat.top + frame.heat.height, bottom] : [bottom];
    for (const Y of below) ticks.push(tick(X, Y, X, Y + 4, { stroke: 'var(--line-3)' }));
    if (labels.includes(level)) out.push(text(X, bottom + 17, tickWords(across, level), { ...MIDDLE, ...TICK }));
  }
  out.push(...gathered(ticks), line(left, bottom, right, bottom, { stroke: 'var(--line-3)' }));
  if (across.spacing === 'log-from-zero') {
    // a break between zero, which has no logarithm, and the least setting
    const positive = across.levels.filter((v) => v > 0)[0];
    const X = (frame.x(0) + frame.x(positive)) / 2;
    out.push(path(`M${X - 4} ${bottom + 4}l4 -8M${X + 1} ${bottom + 4}l4 -8`, { stroke: 'var(--line-3)' }));
  }
  out.push(text(left, frame.height - 6, axisTitle(across, frame.phone), { ...AXIS, 'data-quantity': across.name }));
  if (frame.heat) out.push(...colourBar(view, frame));
  return out;
}

/** Colour and height share one scale, so the bar is the lines' right-hand axis. */
function colourBar(view: View, frame: Frame): Shape[] {
  if (view.mode === 'blank' && view.points.length === 0) return [];
  // the figure above has a scale of its own
  if (view.figure !== 'map' && view.figure !== '3d') return [];
  const top = frame.v(frame.values[1]);
  return [rect(frame.left + frame.plotWidth + 10, top, 8, frame.v(frame.values[0]) - top, { fill: 'url(#bar)' })];
}

const BESIDE = 8;

/** At a level that is a name, points of different lines stand beside each other: there is nothing between the names that they could hide. */
export function aside(view: View, frame: Frame, series: Series, all: readonly Series[]): number {
  if (!frame.across.names) return 0;
  const room = frame.plotWidth / (frame.across.levels.length + 1) / Math.max(all.length, 1);
  const at = all.indexOf(series) - (all.length - 1) / 2;
  return view.layout.shape === 'plane' ? at * Math.min(BESIDE, room) : 0;
}

export const NAME_HEIGHT = 13;

/** The middles of the highest and of the lowest name: the axis' title stands above. */
export const nameRoom = ({ lines }: Pick<Frame, 'lines'>): readonly [number, number] => [
  lines.top - 2,
  lines.top + lines.height - 10,
];

/** Of more lines than there is room for names: evenly, the first and the last among them, and the crosshair's own. */
export function namedOf<T>(lines: readonly T[], frame: Pick<Frame, 'lines'>, own: (line: T) => boolean): readonly T[] {
  const [highest, lowest] = nameRoom(frame);
  const most = 1 + Math.floor((lowest - highest) / NAME_HEIGHT);
  if (lines.length <= most) return lines;
  const last = lines.length - 1;
  const step = Math.ceil(last / Math.max(1, most - 2));
  return lines.filter((line, i) => i === last || own(line) || (i % step === 0 && i <= last - step));
}

/** Pixels from the highest to the lowest place of what is drawn on the plot. */
const reach = ({ lines }: Frame): readonly [number, number] => [lines.top - 8, lines.top + lines.height + 1];

const WIDEST_BAR = 36;

/** A bar for each level that nothing lies beside. */
export function bars(view: View, frame: Frame, series: readonly Series[]): Shape[] {
  const { across, lines, plotWidth } = frame;
  if (!hasBars(view)) return [];
  const width = Math.min(WIDEST_BAR, (0.6 * plotWidth) / across.levels.length);
  const bottom = lines.top + lines.height;
  return series
    .filter(({ chosen }) => chosen)
    .flatMap((s) =>
      s.points.map((p) => {
        const [X, Y] = [frame.x(view.layout.across === 'x' ? p.x : p.y), Math.max(lines.top, frame.v(p.mean))];
        return rect(X - width / 2, Y, width, bottom - Y, { fill: s.ink, 'fill-opacity': 0.16 });
      }),
    );
}

/** Points with their whiskers, where they are on the plot: the axis is the chosen level's, and another's may be far from it. */
export function points(view: View, frame: Frame, series: readonly Series[]): Shape[] {
  const kind = view.kind ?? 'measured';
  const acrossX = view.layout.across === 'x';
  const r = frame.phone ? 2 : 2.5;
  const [highest, lowest] = reach(frame);
  return series.flatMap((s) =>
    gathered(
      s.points.flatMap((p): Shape[] => {
        const X = frame.x(acrossX ? p.x : p.y) + aside(view, frame, s, series);
        const Y = frame.v(p.mean);
        if (!(Y >= highest && Y <= lowest)) return [];
        const out: Shape[] = [];
        if (p.half !== null) {
          const above = frame.v(p.mean + p.half);
          const below = frame.v(p.mean - p.half);
          const top = Math.max(highest, above);
          // a logarithmic axis has no place for an end at zero or below
          const bottom = below <= lowest ? below : lowest;
          const dashes: Record<string, string> = p.from === 'residuals' ? { 'stroke-dasharray': '2 1.5' } : {};
          const [x, lower, upper] = [X, bottom, top].map(hundredths);
          out.push(path(`M${x} ${lower}V${upper}`, { stroke: s.ink, 'stroke-width': 1.25, ...dashes }));
          const caps = [above, below].filter((end) => end === top || end === bottom);
          if (caps.length > 0)
            out.push(
              path(caps.map((end) => `M${hundredths(X - 3)} ${hundredths(end)}h6`).join(''), {
                stroke: s.ink,
                'stroke-width': 1,
              }),
            );
        }
        out.push(
          mark(kind, X, Y, frame.heat ? r : r + 1, {
            fill: 'var(--ground)',
            stroke: s.ink,
            'stroke-width': p.n === 1 ? 1.25 : 1.5,
          }),
        );
        return out;
      }),
    ),
  );
}

/** The other experiment of a difference: its own marks on the same scale, joined by dashes. */
export function partnerPoints(view: View, frame: Frame, series: readonly Series[]): Shape[] {
  const { partner } = view;
  if (!partner) return [];
  return series.flatMap((s): Shape[] => {
    const row = partner.points.filter((p) => p.y === s.y);
    const at = row.map((p) => [frame.x(p.x), frame.v(p.mean)] as const);
    const d = polyline(
      at.map(([x]) => x),
      at.map(([, y]) => y),
    );
    return [
      path(d, { stroke: s.ink, 'stroke-width': 1, 'stroke-dasharray': '5 3' }),
      ...at.map(([x, y]) => mark(partner.kind, x, y, 2.5, { fill: 'var(--ground)', stroke: s.ink })),
    ];
  });
}

/** The part of a curve from sample `from` to `to`, where it is on the plot. */
export function walk(frame: Frame, pxs: Float64Array, values: Float64Array, from: number, to: number, pen: Pen): void {
  const [top, bottom] = reach(frame);
  let down = false;
  for (let i = from; i <= to; i++) {
    const y = frame.v(values[i]);
    // NaN fails both comparisons
    const on = y >= top && y <= bottom;
    if (on && down) pen.lineTo(pxs[i], y);
    else if (on) pen.moveTo(pxs[i], y);
    down = on;
  }
}

export function stretch(frame: Frame, pxs: Float64Array, values: Float64Array, from: number, to: number): string {
  let d = '';
  const put = (letter: string, x: number, y: number): void => {
    d += `${letter}${x} ${Math.round(y * 10) / 10}`;
  };
  walk(frame, pxs, values, from, to, { moveTo: (x, y) => put('M', x, y), lineTo: (x, y) => put('L', x, y) });
  return d;
}

/** Parts of one curve that are drawn alike: from sample to sample. */
interface Stroke {
  readonly values: Float64Array;
  readonly parts: readonly (readonly [number, number])[];
  readonly attributes: Attributes;
}

/** Curves, solid within the measured settings and dotted beyond. */
export function strokes(view: View, live: FrameData, sampler: Sampler): Stroke[] {
  const end = sampler.pxs.length - 1;
  const out = live.curves.flatMap(({ series, values }): Stroke[] => {
    if (!series) return [];
    const solid = { stroke: series.ink, 'stroke-width': series.chosen ? 1.75 : 1.25 };
    if (!view.measured) return [{ values, parts: [[0, end]], attributes: solid }];
    const dotted = { stroke: series.ink, 'stroke-width': 1.25, 'stroke-dasharray': '2 3' };
    const within = sampler.within(series);
    if (!within) return [{ values, parts: [[0, end]], attributes: dotted }];
    const [first, last] = within;
    const beyond = [
      [0, first],
      [last, end],
    ] as const;
    return [
      { values, parts: [within], attributes: solid },
      { values, parts: beyond, attributes: dotted },
    ];
  });
  if (!live.own) return out;
  const crosshair = { stroke: 'var(--crosshair)', 'stroke-width': 1.25, 'stroke-opacity': 0.8 };
  return [...out, { values: live.own.values, parts: [[0, end]], attributes: crosshair }];
}

/** The floor of the cost, where it is on the plot. */
export function floorLine(view: View, frame: Frame, live: FrameData): Shape[] {
  const floor = floorOf(view, live.theta);
  if (floor === null || !(frame.v(floor) < frame.lines.top + frame.lines.height)) return [];
  const Y = frame.v(floor);
  const words = `floor: what the bytes alone cost, ${decimal(floor, frame.valueDigits)}`;
  return [
    line(frame.left, Y, frame.left + frame.plotWidth, Y, { stroke: 'var(--line-3)', 'stroke-dasharray': '1 3' }),
    text(frame.left + 4, Y - 5, words, NOTE),
  ];
}

/** Both as shapes. */
export const curves = (view: View, frame: Frame, live: FrameData, sampler: Sampler): Shape[] => [
  ...floorLine(view, frame, live),
  ...strokes(view, live, sampler).map(({ values, parts, attributes }) =>
    path(parts.map(([from, to]) => stretch(frame, sampler.pxs, values, from, to)).join(''), attributes),
  ),
];

/** What a line is called: its setting, or the level of its choice. */
export function seriesName(s: Series, first: boolean, view: View): string {
  if (s.level !== null) return levelWords(s.level);
  const name = view.layout.y?.name === 'mtu_bytes' ? 'MTU ' : '';
  const { y } = view.layout;
  return (first ? name : '') + (y ? settingText(y, s.y) : '');
}
