// SPDX-License-Identifier: Apache-2.0
// Settings in the curve behind a recommendation: their marks, and the names of some.
import type { Candidate, Kind, Recommendation } from '../../api/types';
import {
  type Attributes,
  circle,
  END,
  HALO,
  LETTER_PX,
  MIDDLE,
  mark,
  rect,
  type Shape,
  TICK,
  text,
} from '../../plots/shapes';
import type { Layout } from '../../state/layout';
import { cutShort } from '../explorer/figure/messages';
import type { Question } from './question';
import { settingName } from './settingWords';

const MOST_LABELS = 6;

/** Pixels at the right of the curve that a name may reach into. */
export const BESIDE = 18;

export interface Spot {
  readonly place: number;
  readonly candidate: Candidate;
  readonly x: number;
  readonly y: number;
}

/** Pixels that the curve has, without its axes. */
export interface Room {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The candidate that the answer is compared with. */
export function referenceOf({ reference, candidates }: Recommendation): Candidate | undefined {
  const wanted = reference && Object.entries(reference);
  return wanted ? candidates.find((c) => wanted.every(([name, level]) => c.factors[name] === level)) : undefined;
}

const box = (x: number, y: number, half: number, width: number): Shape =>
  rect(x - half, y - half, 2 * half, 2 * half, { fill: 'none', stroke: 'var(--ink)', 'stroke-width': width });

/** Filled: within the limits; hollow: not. In a box: as good; in a bold one: the answer; in a ring: what it is compared with. */
export function marks(answer: Recommendation, spots: readonly Spot[], kind: Kind | null): Shape[] {
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
      box[0] >= room.left + 2 && box[2] <= room.right + BESIDE && box[1] >= room.top - 8 && box[3] <= room.bottom;
    if (!inside) continue;
    const covers = taken.filter((t) => box[2] > t[0] && box[0] < t[2] && box[3] > t[1] && box[1] < t[3]).length;
    if (best && best.covers <= covers) continue;
    best = { label: { x, y, anchor: anchor === 'start' ? {} : anchor === 'end' ? END : MIDDLE, box }, covers };
  }
  return best && (bold || best.covers === 0) ? best.label : null;
}

/** The answer, those that are as good, and the ends of the curve, as far as there is room. */
export function labels(
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
