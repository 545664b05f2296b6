// SPDX-License-Identifier: Apache-2.0
// The curve behind a recommendation: over the settings of an axis, or one measure against another. No DOM.
import type { Candidate, Kind, Recommendation } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { catalogue } from '../../engine/catalogue';
import { brief, decimal, digitsOfStep } from '../../plots/number';
import { linear, makeScale, niceStep, niceTicks, type Scale } from '../../plots/scale';
import {
  type Attributes,
  AXIS,
  circle,
  END,
  HALO,
  LETTER_PX,
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
} from '../../plots/shapes';
import { boundsOf } from '../../state/bounds';
import { type Axis, type Layout, positionOn } from '../../state/layout';
import type { BundledQuantity } from '../../state/models';
import { LONGEST_NAME, labelledLevels, labelRoom } from '../explorer/figure/frame';
import { axisTitle, cutShort, settingText, shortName, titleWithUnit } from '../explorer/figure/words';
import type { Question } from './question';
import { settingName } from './words';

export const FIGURE_HEIGHT = 216;
const TOP = 26;
const BOTTOM = 42;
const RIGHT = 18;
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

const bounds = (question: Question, answer: Recommendation) => [
  ...answer.guards,
  ...(question.asked.request.constraints ?? []),
];

const isCost = ({ aim }: BundledQuantity): boolean => aim === 'cpu' || aim === 'energy';

/** The two measures of a plane: what is aimed at, or what is aimed at and what is guarded; a cost runs across. */
function planeOf(question: Question, answer: Recommendation): readonly [BundledQuantity, BundledQuantity] | null {
  const [first, second] = question.aims.map((a) => a.quantity);
  if (second) return [first, second];
  const known = new Set(answer.candidates.flatMap((c) => Object.keys(c.means)));
  const other = catalogue.quantities.find(
    (q) => q.name !== first.name && known.has(q.name) && bounds(question, answer).some((b) => b.measure === q.name),
  );
  if (!other) return null;
  return isCost(first) || other.aim === 'throughput' ? [other, first] : [first, other];
}

/** Which picture an answer can have. */
export function figureOf(question: Question, answer: Recommendation, layout: Layout): 'trade' | 'across' | null {
  if (planeOf(question, answer)) return 'trade';
  return acrossAxis(layout) ? 'across' : null;
}

/** What the picture is called. */
export function titleOf(question: Question, answer: Recommendation): string {
  const plane = planeOf(question, answer);
  if (!plane) return 'The best of each setting';
  if (question.aims.length > 1) return 'What one costs in the other';
  const cost = plane[1].aim;
  if (cost === 'energy') return 'What less energy costs';
  return cost === 'cpu' ? 'What less CPU costs' : 'What it costs in latency';
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
  return Math.ceil(Math.max(...ticks.map((t) => words(t).length)) * LETTER_PX.digit + 12);
}

/** A bound in the unit of its measure: of percents, from the best or from what is set now. */
function boundOf(
  { measure, limit, value }: Recommendation['guards'][number],
  answer: Recommendation,
): { readonly at: number; readonly most: boolean; readonly words: string } | null {
  if (limit === 'at most' || limit === 'at least')
    return { at: value, most: limit === 'at most', words: `${limit} ${brief(value)}` };
  const less = catalogue.quantities.find((q) => q.name === measure)?.better === 'less';
  const means = answer.candidates.map((c) => c.means[measure]);
  const now = referenceOf(answer)?.means[measure];
  if (limit === 'within current')
    return now === undefined
      ? null
      : {
          at: now * (1 + (less ? value : -value) / 100),
          most: less,
          words: `over ${brief(value, 2)} % ${less ? 'above' : 'below'} now`,
        };
  const best = less ? Math.min(...means) / (1 - value / 100) : Math.max(...means) * (1 - value / 100);
  return { at: best, most: less, words: `over ${brief(value, 2)} % ${less ? 'above' : 'below'} the best` };
}

/** Bounds on a measure of the picture, with their words; what lies beyond them is shaded. */
function limitLines(
  question: Question,
  answer: Recommendation,
  measure: BundledQuantity,
  room: Room,
  along: 'x' | 'y',
  scale: Scale,
): Shape[] {
  return bounds(question, answer)
    .filter((c) => c.measure === measure.name)
    .flatMap((c) => {
      const bound = boundOf(c, answer);
      if (!bound) return [];
      const at = scale(bound.at);
      const [lo, hi] = along === 'y' ? [room.top, room.bottom] : [room.left, room.right];
      if (!(at >= lo && at <= hi)) return [];
      const dashes: Attributes = { stroke: 'var(--ink-2)', 'stroke-dasharray': '4 3' };
      const beyond: Attributes = { fill: 'var(--ground-2)' };
      if (along === 'y') {
        const [from, to] = bound.most ? [lo, at] : [at, hi];
        return [
          rect(room.left, from, room.right - room.left, to - from, beyond),
          line(room.left, at, room.right, at, dashes),
          text(room.right - 4, bound.most ? room.top + 12 : room.bottom - 6, bound.words, { ...NOTE, ...END, ...HALO }),
        ];
      }
      const [from, to] = bound.most ? [at, hi] : [lo, at];
      return [
        rect(from, room.top, to - from, room.bottom - room.top, beyond),
        line(at, room.top, at, room.bottom, dashes),
        text(bound.most ? room.right - 4 : room.left + 4, room.bottom - 6, bound.words, {
          ...NOTE,
          ...HALO,
          ...(bound.most ? END : {}),
        }),
      ];
    });
}

function referenceOf({ reference, candidates }: Recommendation): Candidate | undefined {
  const wanted = reference && Object.entries(reference);
  return wanted ? candidates.find((c) => wanted.every(([name, level]) => c.factors[name] === level)) : undefined;
}

const box = (x: number, y: number, half: number, width: number): Shape =>
  rect(x - half, y - half, 2 * half, 2 * half, { fill: 'none', stroke: 'var(--ink)', 'stroke-width': width });

/** Filled: within the limits; hollow: not. In a box: as good; in a bold one: the answer; in a ring: what it is compared with. */
function marks(answer: Recommendation, spots: readonly Spot[], kind: Kind | null): Shape[] {
  const near = new Set(answer.choices);
  const one = ({ place, candidate, x, y }: Spot): Shape => {
    const strong = near.has(place);
    const look: Attributes = candidate.allowed
      ? { fill: strong ? 'var(--ink)' : 'var(--ink-3)' }
      : { fill: 'var(--ground)', stroke: 'var(--ink-3)' };
    // what is predicted is no datum: it has no kind
    return kind ? mark(kind, x, y, strong ? 3.5 : 3, look) : circle(x, y, 3, look);
  };
  const last = spots.filter((s) => near.has(s.place));
  const out = [...spots.filter((s) => !near.has(s.place)), ...last].map(one);
  for (const { x, y, place } of last)
    out.push(box(x, y, place === answer.answer ? 8 : 6.5, place === answer.answer ? 2.5 : 1));
  const now = referenceOf(answer);
  const there = now && spots.find((s) => s.candidate === now);
  if (there) out.push(circle(there.x, there.y, 8, { fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.5 }));
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
  const width = words.length * LETTER_PX.name;
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
  const own = answer.answer;
  const wanted = [...new Set([...(own === null ? [] : [own]), ...answer.choices, ...also])];
  const taken: Label['box'][] = spots.map((s) => [s.x - 4, s.y - 4, s.x + 4, s.y + 4]);
  const out: Shape[] = [];
  for (const place of wanted.slice(0, MOST_LABELS)) {
    const spot = spots.find((s) => s.place === place);
    if (!spot) continue;
    const bold = place === answer.answer;
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
    ...limitLines(question, answer, quantity, room, 'y', v),
    ...curve,
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

/** The settings of each level of the upward axis, joined in the order of the other. */
function eachLevel(spots: readonly Spot[], question: Question, { x, y }: Layout): Shape[] {
  if (question.aims.length > 2 || !x || !y || x.names) return [];
  return y.levels.map((level) => {
    const at = (s: Spot) => Number(question.settingOf(s.candidate.factors)[x.name]);
    const own = spots
      .filter((s) => positionOn(y, question.settingOf(s.candidate.factors)[y.name]) === level)
      .sort((a, b) => at(a) - at(b));
    return path(
      polyline(
        own.map((s) => s.x),
        own.map((s) => s.y),
      ),
      { stroke: 'var(--line-3)', fill: 'none' },
    );
  });
}

/** What one measure costs in the other: the settings that nothing beats are joined. */
function trade(question: Question, answer: Recommendation, layout: Layout, kind: Kind | null, width: number): Shape[] {
  const plane = planeOf(question, answer);
  if (!plane) return [];
  const [up, over] = plane;
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
    question.aims.length !== 2
      ? eachLevel(spots, question, layout)
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
  const ends = question.aims.length > 1 ? [first, last].flatMap((s) => (s ? [s.place] : [])) : [];
  return [
    ...limitLines(question, answer, up, room, 'y', v),
    ...limitLines(question, answer, over, room, 'x', h),
    ...valueAxis(domain, up, room, v),
    line(room.left, room.bottom, room.right, room.bottom, { stroke: 'var(--line-3)' }),
    ...ticks.flatMap((tick) => [
      line(h(tick), room.bottom, h(tick), room.bottom + 4, { stroke: 'var(--line-3)' }),
      text(h(tick), room.bottom + 16, words(tick), { ...TICK, ...MIDDLE }),
    ]),
    text(room.left, FIGURE_HEIGHT - 4, titleWithUnit(over), { ...AXIS, 'data-quantity': over.name }),
    ...chord,
    ...curve,
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
  const which = figureOf(question, answer, layout);
  if (which === null || width < 80) return [];
  return (which === 'trade' ? trade : across)(question, answer, layout, question.model ? null : kind, width);
}

/** What the picture shows, below it. */
export function captionOf(question: Question, answer: Recommendation, layout: Layout): string {
  const which = figureOf(question, answer, layout);
  const hollow = answer.candidates.some((c) => !c.allowed) ? ' Hollow: breaks a limit.' : '';
  const boxed = answer.answer === null ? '' : ' Bold box: the answer.';
  const good = answer.choices.length > 1 ? ' Thin boxes: as good.' : '';
  const ring = referenceOf(answer) ? ' Ring: what it is compared with.' : '';
  const read = `${boxed}${good}${hollow}${ring}`;
  if (which === 'across')
    return `Every setting${question.model ? ' as predicted' : ''}; the line follows the best one of each.${read}`;
  if (question.aims.length === 1) {
    const named = layout.y && layout.y.levels.length > 1 ? ` Each line is one ${inSentence(shortName(layout.y))}.` : '';
    return `Every setting.${named}${read}`;
  }
  const more =
    question.aims.length > 2 ? ' The third measure is in the table.' : ' The line joins those that none beats in both.';
  const furthest = question.goal === 'balance' ? ' The balance is furthest from the dotted line between its ends.' : '';
  return `Every setting.${more}${furthest}${read}`;
}
