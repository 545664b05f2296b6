// SPDX-License-Identifier: Apache-2.0
// The curve behind a recommendation: over the settings of an axis, or one measure against another. No DOM.
import type { Candidate, Kind, Recommendation } from '../../api/types';
import { brief, decimal, digitsOfStep } from '../../plots/number';
import { linear, makeScale, niceStep, niceTicks, type Scale } from '../../plots/scale';
import {
  type Attributes,
  AXIS,
  circle,
  END,
  HALO,
  line,
  MIDDLE,
  mark,
  NOTE,
  path,
  polyline,
  type Shape,
  TICK,
  text,
} from '../../plots/shapes';
import { type Axis, type Layout, positionOn } from '../../state/layout';
import type { BundledQuantity } from '../../state/models';
import { boundsOf } from '../../state/view';
import { LONGEST_NAME, labelledLevels, labelRoom } from '../explorer/figure/frame';
import { axisTitle, cutShort, settingText, titleWithUnit } from '../explorer/figure/words';
import type { Question } from './question';
import { chosenOf, settingName } from './words';

export const FIGURE_HEIGHT = 216;
const TOP = 26;
const BOTTOM = 42;
const RIGHT = 18;
const CHARACTER = 6.3;
const MOST_LABELS = 6;

interface Spot {
  readonly place: number;
  readonly candidate: Candidate;
  readonly x: number;
  readonly y: number;
}

interface Room {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Which picture an answer can have. */
export function figureOf(question: Question, layout: Layout): 'trade' | 'across' | null {
  if (question.aims.length > 1) return 'trade';
  return acrossAxis(layout) ? 'across' : null;
}

function acrossAxis(layout: Layout): Axis | null {
  const axis = (layout.across === 'x' ? layout.x : layout.y) ?? layout.x ?? layout.y;
  return axis && axis.levels.length > 1 ? axis : null;
}

function padded(values: readonly number[]): [number, number] {
  const [lo, hi] = [Math.min(...values), Math.max(...values)];
  const room = (hi - lo) * 0.12 || Math.abs(hi) * 0.05 || 1;
  return [lo >= 0 ? Math.max(0, lo - room) : lo - room, hi + room];
}

function tickWords(ticks: readonly number[]): (v: number) => string {
  const digits = digitsOfStep(ticks.length > 1 ? ticks[1] - ticks[0] : niceStep(ticks[0] || 1));
  return (v) => decimal(v, digits);
}

function valueAxis(domain: readonly [number, number], of: BundledQuantity, room: Room, v: Scale): Shape[] {
  const ticks = niceTicks(domain[0], domain[1], 4);
  const words = tickWords(ticks);
  return [
    text(0, 12, titleWithUnit(of), { ...AXIS, 'data-quantity': of.name }),
    ...ticks.flatMap((tick) => [
      line(room.left, v(tick), room.right, v(tick), { stroke: 'var(--line)' }),
      text(room.left - 6, v(tick), words(tick), { ...TICK, ...END, dy: '0.32em' }),
    ]),
  ];
}

function leftOf(domain: readonly [number, number]): number {
  const ticks = niceTicks(domain[0], domain[1], 4);
  const words = tickWords(ticks);
  return Math.ceil(Math.max(...ticks.map((t) => words(t).length)) * CHARACTER + 12);
}

/** Bounds on a measure of the picture, with their words. */
function limitLines(question: Question, measure: BundledQuantity, room: Room, along: 'x' | 'y', scale: Scale): Shape[] {
  return (question.asked.request.constraints ?? [])
    .filter((c) => c.measure === measure.name)
    .flatMap((c) => {
      const at = scale(c.value);
      const [lo, hi] = along === 'y' ? [room.top, room.bottom] : [room.left, room.right];
      if (!(at >= lo && at <= hi)) return [];
      const dashes: Attributes = { stroke: 'var(--ink-2)', 'stroke-dasharray': '4 3' };
      const words = `${c.limit} ${brief(c.value)}`;
      if (along === 'y')
        return [
          line(room.left, at, room.right, at, dashes),
          text(room.right, at - 4, words, { ...NOTE, ...END, ...HALO }),
        ];
      return [line(at, room.top, at, room.bottom, dashes), text(at + 4, room.top + 10, words, { ...NOTE, ...HALO })];
    });
}

const MOST_JOINED = 6;

/** Settings that are as good are joined with the answer, where they are few. */
function joins(answer: Recommendation, spots: readonly Spot[]): Shape[] {
  const best = spots.find((s) => s.place === chosenOf(answer));
  if (!best || answer.choices.length > MOST_JOINED) return [];
  return spots
    .filter((s) => s !== best && answer.choices.includes(s.place))
    .map((s) => line(best.x, best.y, s.x, s.y, { stroke: 'var(--line-2)', 'stroke-width': 2 }));
}

function marks(answer: Recommendation, spots: readonly Spot[], kind: Kind | null): Shape[] {
  const near = new Set<number | null>([...answer.choices, chosenOf(answer)]);
  const one = ({ place, candidate, x, y }: Spot): Shape => {
    const strong = near.has(place) || answer.frontier.includes(place);
    const look: Attributes = candidate.allowed
      ? { fill: strong ? 'var(--ink)' : 'var(--line-3)' }
      : { fill: 'var(--ground)', stroke: 'var(--line-3)' };
    // what is predicted is no datum: it has no kind
    return kind ? mark(kind, x, y, strong ? 3.5 : 2.5, look) : circle(x, y, strong ? 3 : 2, look);
  };
  const last = spots.filter((s) => near.has(s.place));
  const out = [...spots.filter((s) => !near.has(s.place)), ...last].map(one);
  const best = spots.find((s) => s.place === chosenOf(answer));
  if (best) out.push(circle(best.x, best.y, 8, { fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.5 }));
  return out;
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly anchor: Attributes;
  readonly box: readonly [number, number, number, number];
}

/** Where a label can stand, the nearest first. */
const PLACES: readonly (readonly [number, number, 'start' | 'middle' | 'end'])[] = [
  [1, 0, 'start'],
  [-1, 0, 'end'],
  [0, -16, 'middle'],
  [0, 17, 'middle'],
  [1, -14, 'start'],
  [-1, -14, 'end'],
  [1, 14, 'start'],
  [-1, 14, 'end'],
  [0, -30, 'end'],
  [0, -30, 'start'],
  [0, 31, 'middle'],
];

/** The first place within the picture that covers nothing; for the answer's own name, the one that covers least. */
function placed(spot: Spot, words: string, bold: boolean, room: Room, taken: readonly Label['box'][]): Label | null {
  const width = words.length * (bold ? 6.4 : CHARACTER);
  const far = bold ? 12 : 8;
  let best: { readonly label: Label; readonly covers: number } | null = null;
  for (const [side, dy, anchor] of PLACES) {
    const x = spot.x + side * far;
    const y = spot.y + dy;
    const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
    const box = [left, y - 7, left + width, y + 7] as const;
    const inside =
      box[0] >= room.left + 2 && box[2] <= room.right + RIGHT && box[1] >= room.top - 8 && box[3] <= room.bottom;
    if (!inside) continue;
    const covers = taken.filter((t) => box[2] > t[0] && box[0] < t[2] && box[3] > t[1] && box[1] < t[3]).length;
    if (best && best.covers <= covers) continue;
    best = { label: { x, y, anchor: anchor === 'start' ? {} : anchor === 'end' ? END : MIDDLE, box }, covers };
  }
  return best && (bold || best.covers === 0) ? best.label : null;
}

/** The answer, those that are as good, and the ends of the curve, as far as there is room. */
function labels(
  question: Question,
  answer: Recommendation,
  layout: Layout,
  spots: readonly Spot[],
  room: Room,
  also: readonly number[],
): Shape[] {
  const own = chosenOf(answer);
  const wanted = [...new Set([...(own === null ? [] : [own]), ...answer.choices, ...also])];
  const taken: Label['box'][] = spots.map((s) => [s.x - 4, s.y - 4, s.x + 4, s.y + 4]);
  const out: Shape[] = [];
  for (const place of wanted.slice(0, MOST_LABELS)) {
    const spot = spots.find((s) => s.place === place);
    if (!spot) continue;
    const bold = place === chosenOf(answer);
    const words = cutShort(settingName(layout, question.settingOf(spot.candidate.factors), false), 34);
    const others = taken.filter(([l, t]) => l !== spot.x - 4 || t !== spot.y - 4);
    const label = placed(spot, words, bold, room, others);
    if (!label) continue;
    taken.push(label.box);
    out.push(
      text(label.x, label.y, words, {
        ...TICK,
        ...HALO,
        ...label.anchor,
        dy: '0.32em',
        ...(bold ? { fill: 'var(--ink)', 'font-weight': 600 } : {}),
      }),
    );
  }
  return out;
}

/** The best of each setting across, in the order of the axis. */
function envelope(spots: readonly Spot[], better: BundledQuantity['better']): Spot[] {
  const best = new Map<number, Spot>();
  for (const spot of spots) {
    if (!spot.candidate.allowed) continue;
    const last = best.get(spot.x);
    // pixels fall as values grow
    if (!last || (better === 'less' ? spot.y > last.y : spot.y < last.y)) best.set(spot.x, spot);
  }
  return [...best.values()].sort((a, b) => a.x - b.x);
}

function across(question: Question, answer: Recommendation, layout: Layout, kind: Kind | null, width: number): Shape[] {
  const axis = acrossAxis(layout);
  const [{ quantity }] = question.aims;
  if (!axis) return [];
  const values = answer.candidates.map((c) => c.means[quantity.name]);
  const domain = padded(values);
  const room: Room = { left: leftOf(domain), right: width - RIGHT, top: TOP, bottom: FIGURE_HEIGHT - BOTTOM };
  const v = linear(domain, [room.bottom, room.top]);
  const at = makeScale(axis.levels, axis.spacing, boundsOf(axis, false), [room.left, room.right]);
  const spots = answer.candidates.flatMap((candidate, place): Spot[] => {
    const level = positionOn(axis, question.settingOf(candidate.factors)[axis.name]);
    return level === null ? [] : [{ place, candidate, x: at(level), y: v(values[place]) }];
  });
  const best = envelope(spots, quantity.better);
  const curve = axis.names
    ? []
    : [
        path(
          polyline(
            best.map((s) => s.x),
            best.map((s) => s.y),
          ),
          { stroke: 'var(--ink-2)', 'stroke-width': 1.5 },
        ),
      ];
  return [
    ...valueAxis(domain, quantity, room, v),
    line(room.left, room.bottom, room.right, room.bottom, { stroke: 'var(--line-3)' }),
    ...levelTicks(axis, at, room),
    text(room.left, FIGURE_HEIGHT - 4, axisTitle(axis), { ...AXIS, 'data-quantity': axis.name }),
    ...limitLines(question, quantity, room, 'y', v),
    ...curve,
    ...joins(answer, spots),
    ...marks(answer, spots, kind),
    ...labels(question, answer, layout, spots, room, []),
  ];
}

function levelTicks(axis: Axis, at: Scale, room: Room): Shape[] {
  const named = labelledLevels(axis.levels, at, labelRoom(axis));
  return axis.levels.flatMap((level) => {
    const x = at(level);
    const tick = line(x, room.bottom, x, room.bottom + 4, { stroke: 'var(--line-3)' });
    if (!named.includes(level)) return [tick];
    return [tick, text(x, room.bottom + 16, cutShort(settingText(axis, level), LONGEST_NAME), { ...TICK, ...MIDDLE })];
  });
}

/** What one measure costs in the other: the settings that nothing beats are joined. */
function trade(question: Question, answer: Recommendation, layout: Layout, kind: Kind | null, width: number): Shape[] {
  const [up, over] = question.aims.map((a) => a.quantity);
  const ys = answer.candidates.map((c) => c.means[up.name]);
  const xs = answer.candidates.map((c) => c.means[over.name]);
  const [domain, range] = [padded(ys), padded(xs)];
  const room: Room = { left: leftOf(domain), right: width - RIGHT, top: TOP, bottom: FIGURE_HEIGHT - BOTTOM };
  const v = linear(domain, [room.bottom, room.top]);
  const h = linear(range, [room.left, room.right]);
  const spots = answer.candidates.map(
    (candidate, place): Spot => ({ place, candidate, x: h(xs[place]), y: v(ys[place]) }),
  );
  // with three measures, what nothing beats is no line in the plane of two
  const front = spots.filter((s) => answer.frontier.includes(s.place)).sort((a, b) => a.x - b.x || b.y - a.y);
  const curve =
    question.aims.length > 2
      ? []
      : [
          path(
            polyline(
              front.map((s) => s.x),
              front.map((s) => s.y),
            ),
            { stroke: 'var(--ink-2)', 'stroke-width': 1.5 },
          ),
        ];
  const [first, last] = [front[0], front.at(-1)];
  const chord =
    question.goal === 'balance' && first && last
      ? [line(first.x, first.y, last.x, last.y, { stroke: 'var(--ink-3)', 'stroke-dasharray': '2 3' })]
      : [];
  const ticks = niceTicks(range[0], range[1], Math.max(2, Math.min(6, Math.floor(width / 80))));
  const words = tickWords(ticks);
  const ends = [first, last].flatMap((s) => (s ? [s.place] : []));
  return [
    ...valueAxis(domain, up, room, v),
    line(room.left, room.bottom, room.right, room.bottom, { stroke: 'var(--line-3)' }),
    ...ticks.flatMap((tick) => [
      line(h(tick), room.bottom, h(tick), room.bottom + 4, { stroke: 'var(--line-3)' }),
      text(h(tick), room.bottom + 16, words(tick), { ...TICK, ...MIDDLE }),
    ]),
    text(room.left, FIGURE_HEIGHT - 4, titleWithUnit(over), { ...AXIS, 'data-quantity': over.name }),
    ...limitLines(question, up, room, 'y', v),
    ...limitLines(question, over, room, 'x', h),
    ...chord,
    ...curve,
    ...joins(answer, spots),
    ...marks(answer, spots, kind),
    ...labels(question, answer, layout, spots, room, ends),
  ];
}

export function figureShapes(
  question: Question,
  answer: Recommendation,
  layout: Layout,
  kind: Kind | null,
  width: number,
): Shape[] {
  const which = figureOf(question, layout);
  if (which === null || width < 80) return [];
  return (which === 'trade' ? trade : across)(question, answer, layout, question.model ? null : kind, width);
}

/** What the picture shows, below it. */
export function captionOf(question: Question, answer: Recommendation, layout: Layout): string {
  const which = figureOf(question, layout);
  const joined =
    answer.choices.length > 1 && answer.choices.length <= MOST_JOINED
      ? ' Grey lines join it with those that are as good.'
      : '';
  const best =
    answer.answer === null ? (answer.best === null ? '' : ' The ring is the best mean.') : ' The ring is the answer.';
  if (which === 'across')
    return `Every setting${question.model ? ' as predicted' : ''}; the line follows the best one of each.${best}${joined}`;
  const more =
    question.aims.length > 2 ? ' The third measure is in the table.' : ' The line joins those that none beats in both.';
  const furthest = question.goal === 'balance' ? ' The balance is furthest from the dotted line between its ends.' : '';
  return `Every setting.${more}${furthest}${best}${joined}`;
}
