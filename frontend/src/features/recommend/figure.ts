// SPDX-License-Identifier: Apache-2.0
// The curve behind a recommendation: over the settings of an axis, or one measure against another. No DOM.
import type { Kind, Recommendation } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { catalogue } from '../../engine/catalogue';
import { decimal, digitsOfStep } from '../../plots/number';
import { linear, makeScale, niceStep, niceTicks, type Scale } from '../../plots/scale';
import {
  type Attributes,
  AXIS,
  END,
  LETTER_PX,
  line,
  MIDDLE,
  path,
  polyline,
  type Shape,
  TICK,
  text,
} from '../../plots/shapes';
import { boundsOf } from '../../state/bounds';
import { type Axis, type Layout, positionOn } from '../../state/layout';
import type { BundledQuantity } from '../../state/models';
import { LONGEST_NAME, labelledLevels, labelRoom } from '../explorer/figure/frame';
import { axisTitle, cutShort, settingText, shortName, titleWithUnit } from '../explorer/figure/messages';
import { limitLines, limitsOf } from './figureLimits';
import { BESIDE, labels, marks, type Room, referenceOf, type Spot } from './figureMarks';
import type { Question } from './question';

export const FIGURE_HEIGHT = 216;
const TOP = 26;
const BOTTOM = 42;

const isCost = ({ aim }: BundledQuantity): boolean => aim === 'cpu' || aim === 'energy';

/** The two measures of a plane: what is aimed at, or what is aimed at and what is guarded; a cost runs across. */
function planeOf(question: Question, answer: Recommendation): readonly [BundledQuantity, BundledQuantity] | null {
  const [first, second] = question.aims.map((a) => a.quantity);
  if (second) return [first, second];
  const known = new Set(answer.candidates.flatMap((c) => Object.keys(c.means)));
  const other = catalogue.quantities.find(
    (q) => q.name !== first.name && known.has(q.name) && limitsOf(question, answer).some((b) => b.measure === q.name),
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

const CURVE: Attributes = { stroke: 'var(--ink-2)', 'stroke-width': 1.5 };

const joined = (spots: readonly Spot[], look: Attributes): Shape =>
  path(
    polyline(
      spots.map((s) => s.x),
      spots.map((s) => s.y),
    ),
    look,
  );

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
  const room: Room = { left: leftOf(domain), right: width - BESIDE, top: TOP, bottom: FIGURE_HEIGHT - BOTTOM };
  const v = linear(domain, [room.bottom, room.top]);
  const at = makeScale(axis.levels, axis.spacing, boundsOf(axis, false), [room.left, room.right]);
  const spots = answer.candidates.flatMap((candidate, place): Spot[] => {
    const level = positionOn(axis, question.settingOf(candidate.factors)[axis.name]);
    return level === null ? [] : [{ place, candidate, x: at(level), y: v(values[place]) }];
  });
  const best = envelope(spots, quantity.better);
  const curve = axis.names ? [] : [joined(best, CURVE)];
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
    return joined(own, { stroke: 'var(--line-3)', fill: 'none' });
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
  const room: Room = { left: leftOf(domain), right: width - BESIDE, top: TOP, bottom: FIGURE_HEIGHT - BOTTOM };
  const v = linear(domain, [room.bottom, room.top]);
  const h = linear(range, [room.left, room.right]);
  const spots = answer.candidates.map(
    (candidate, place): Spot => ({ place, candidate, x: h(xs[place]), y: v(ys[place]) }),
  );
  // with three measures, what nothing beats is no line in the plane of two
  const front = spots.filter((s) => answer.frontier.includes(s.place)).sort((a, b) => a.x - b.x || b.y - a.y);
  const curve = question.aims.length === 2 ? [joined(front, CURVE)] : eachLevel(spots, question, layout);
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
  const hollow = answer.candidates.some((c) => !c.allowed) ? ' Hollow: violates a limit.' : '';
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
