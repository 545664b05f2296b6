// SPDX-License-Identifier: Apache-2.0
// Limits in the curve behind a recommendation: their lines, and the shade beyond them.
import type { Recommendation } from '../../api/types';
import { catalogue } from '../../engine/catalogue';
import { brief } from '../../plots/number';
import type { Scale } from '../../plots/scale';
import { type Attributes, END, HALO, line, NOTE, rect, type Shape, text } from '../../plots/shapes';
import type { BundledQuantity } from '../../state/models';
import type { Room } from './figureMarks';
import type { Question } from './question';

/** What was asked to be kept, and what is kept without being asked. */
export const limitsOf = (question: Question, answer: Recommendation) => [
  ...answer.guards,
  ...(question.asked.request.constraints ?? []),
];

/** A bound in the unit of its measure: of percents, from the best or from what is set now. */
function boundOf(
  { measure, limit, value }: Recommendation['guards'][number],
  answer: Recommendation,
): { readonly at: number; readonly most: boolean; readonly words: string } | null {
  if (limit === 'at most' || limit === 'at least')
    return { at: value, most: limit === 'at most', words: `${limit} ${brief(value)}` };
  const less = catalogue.quantities.find((q) => q.name === measure)?.better === 'less';
  const means = answer.candidates.map((c) => c.means[measure]);
  const now = answer.reference_means[measure];
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
export function limitLines(
  question: Question,
  answer: Recommendation,
  measure: BundledQuantity,
  room: Room,
  along: 'x' | 'y',
  scale: Scale,
): Shape[] {
  return limitsOf(question, answer)
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
