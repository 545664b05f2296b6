// SPDX-License-Identifier: Apache-2.0
// A recommendation in sentences and rows. No DOM.
import type { Candidate, Factors, Quantity, Recommendation } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { brief, decimal } from '../../plots/number';
import type { Goal, Role } from '../../state/advice';
import { type Axis, delayMicroseconds, isDelay, type Layout, positionOn } from '../../state/layout';
import { redundant, settingText, shortName, unitAfter } from '../explorer/figure/words';
import type { Question } from './question';

const GOAL_LABELS: Readonly<Record<Goal, string>> = {
  throughput: 'Throughput',
  cpu: 'CPU per GB',
  latency: 'Latency',
  balance: 'Balance',
  trade: 'Weigh',
};

/** A goal as a control says it: not all that is known of CPU time is per GB. */
export function goalLabel(goal: Goal, known: Partial<Record<Role, Pick<Quantity, 'name'>>>): string {
  return goal === 'cpu' && known.cpu && !known.cpu.name.endsWith('_per_gb') ? 'CPU' : GOAL_LABELS[goal];
}

/** A part of a sentence; with a place, the name of that candidate's setting, to be pressed. */
export interface Part {
  readonly text: string;
  readonly place?: number;
  readonly strong?: boolean;
}

/** Where a setting stands in the picture; null where it has no place there. */
export interface Spot {
  readonly x: number | null;
  readonly y: number | null;
}

export function spotOf(layout: Layout, factors: Factors): Spot {
  return {
    x: layout.x && positionOn(layout.x, factors[layout.x.name]),
    y: layout.y && positionOn(layout.y, factors[layout.y.name]),
  };
}

function axisWords(axis: Axis, value: number, whole: boolean): string {
  const mtu = axis.name === 'mtu_bytes';
  const name = mtu ? 'MTU' : inSentence(shortName(axis));
  const unit = !whole || mtu || axis.names || redundant(axis) ? '' : `\u00a0${axis.unit}`;
  const own = `${name} ${settingText(axis, value)}${unit}`;
  if (!whole || !isDelay(axis.name) || axis.name === 'delay_us' || value === 0) return own;
  const us = delayMicroseconds(axis.name, value);
  return `${own} (${us < 100 ? us.toFixed(1) : us.toFixed(0)}\u00a0µs)`;
}

/** "MTU 4500, delay 120 ticks (122.9 µs)"; short, without the units: "MTU 4500, delay 120". What is held fixed goes without saying. */
export function settingName(layout: Layout, factors: Factors, whole = true): string {
  const { x, y } = layout;
  const parts = [y, x].flatMap((axis) => {
    if (!axis || axis.levels.length < 2) return [];
    const at = positionOn(axis, factors[axis.name]);
    return at === null ? [] : [axisWords(axis, at, whole)];
  });
  return parts.join(', ') || 'the only setting';
}

/** Three to four digits with the unit. */
export function valueWords(quantity: Pick<Quantity, 'label' | 'unit'>, value: number): string {
  return `${brief(value, 4)}${unitAfter(quantity).replace(' ', '\u00a0')}`;
}

/** 0.93; never 0 or 1, because draws prove neither. */
export function chance(probability: number): string {
  if (probability < 0.005) return 'below 0.01';
  return probability > 0.995 ? 'above 0.99' : decimal(probability, 2);
}

/** "latency", "99th percentile of latency", "system CPU time per 10⁹ bytes". */
const named = (quantity: Pick<Quantity, 'label'>): string => inSentence(quantity.label);

export function goalWords(question: Pick<Question, 'goal' | 'aims'>): string {
  const listed = question.aims.map(({ quantity }) => named(quantity));
  const all = `${listed.slice(0, -1).join(', ')} and ${listed.at(-1)}`;
  if (question.goal === 'balance') return `For a balance of ${all}`;
  if (question.goal === 'trade') {
    const alike = question.aims.every(({ weight }) => weight === question.aims[0].weight);
    return `For ${all}, weighed ${alike ? 'alike' : question.aims.map(({ weight }) => brief(weight, 3)).join(' : ')}`;
  }
  const [{ quantity }] = question.aims;
  return question.goal === 'throughput'
    ? `For ${listed[0]}`
    : `For ${quantity.better === 'more' ? 'most' : 'least'} ${listed[0]}`;
}

const MOST_NAMED = 2;

function othersOf(answer: Recommendation, name: (place: number) => Part): Part[] {
  const { indistinguishable: others, candidates } = answer;
  if (others.length === 0) return [];
  if (others.length > MOST_NAMED)
    return [{ text: `; ${others.length} of the other ${candidates.length - 1} settings cannot be told from it` }];
  const listed = others.flatMap((place, i) => [{ text: i === 0 ? '; ' : ' and ' }, name(place)]);
  return [...listed, { text: ' cannot be told apart from it' }];
}

function meansOf(question: Question, best: Candidate): string {
  return question.aims
    .flatMap(({ quantity }) => {
      const mean = best.means[quantity.name];
      return mean === undefined ? [] : [valueWords(quantity, mean)];
    })
    .join(', ');
}

/** What to set, in one sentence. */
export function sentenceOf(question: Question, answer: Recommendation, layout: Layout): Part[] {
  const goal = goalWords(question);
  if (answer.best === null) return [{ text: `${goal}: ${answer.message ?? 'no setting will do.'}` }];
  const name = (place: number, whole: boolean): Part => ({
    text: settingName(layout, question.settingOf(answer.candidates[place].factors), whole),
    place,
    strong: whole,
  });
  const best = answer.candidates[answer.best];
  const { probability_best: probability } = best;
  const of = answer.candidates.length;
  const standing = question.model
    ? `the best of ${of} predictions`
    : probability === null
      ? `the best of ${of} settings; with one value for each, its odds are not known`
      : `the best with probability ${chance(probability)}`;
  return [
    { text: `${goal}: ` },
    name(answer.best, true),
    { text: `, ${meansOf(question, best)}; ${standing}` },
    ...othersOf(answer, (place) => name(place, false)),
    { text: '.' },
  ];
}

const delaysOf = ({ factors }: Candidate): string =>
  Object.entries(factors)
    .filter(([name]) => isDelay(name))
    .join();

/** What limits the answer, and what else may do. */
export function notesOf(question: Question, answer: Recommendation, layout: Layout): Part[][] {
  const notes: Part[][] = [];
  if (question.model)
    notes.push([
      {
        text: `No run here has ${named(question.aims[0].quantity)}: the model “${question.model.title}” predicts it, with its default parameters.`,
      },
    ]);
  if (answer.best !== null && answer.message) notes.push([{ text: answer.message }]);
  const { best, enough, candidates, tolerance_percent: tolerance } = answer;
  if (best !== null && enough !== null && delaysOf(candidates[enough]) !== delaysOf(candidates[best])) {
    const { loss_percent: loss, factors } = candidates[enough];
    notes.push([
      { text: `The shortest delay that loses no more than ${brief(tolerance, 2)}\u00a0%: ` },
      { text: settingName(layout, question.settingOf(factors)), place: enough },
      { text: loss < 0.05 ? '.' : `, ${brief(loss, 2)}\u00a0% less good.` },
    ]);
  }
  const kept = best === null ? null : candidates[best].probability_allowed;
  if (kept !== null && kept < 0.995) notes.push([{ text: `It keeps the limits with probability ${chance(kept)}.` }]);
  if (answer.left_out > 0)
    notes.push([{ text: `${decimal(answer.left_out, 0)} runs without what was asked about do not count.` }]);
  return notes;
}

/** What the words of chance mean, where they stand. */
export const MEANINGS: readonly (readonly [string, string])[] = [
  [
    'probability',
    'The share of 4000 random draws, each within what the replicates leave open, in which this setting was the best that keeps the limits.',
  ],
  [
    'cannot be told apart',
    'In more than 5 % of the draws, counted over all settings together, the other was at least as good. More runs of both would tell.',
  ],
  [
    'loses',
    'How far it lies below the best in what was asked for: measures weighed as above, or the mean of the shares that a balance counts.',
  ],
  [
    'balance',
    'The setting furthest from the straight line between the best of each, where both ways between these count alike. From there, either way loses a larger share of one than it gains of the other.',
  ],
];

/** Why a setting is where it is in the table. */
export function standingOf(candidate: Candidate, place: number, answer: Recommendation): string {
  if (!candidate.allowed) return 'breaks a limit';
  if (place === answer.best) return 'the best';
  if (candidate.probability_best === null) return 'probability not known';
  if (candidate.resolved) return 'told apart';
  const { runs_to_resolve: runs } = candidate;
  return runs === null ? 'not told apart' : `not told apart; about ${decimal(runs, 0)} runs of each would`;
}

/** What the goal is short for, as a control says it. */
export function unmeasured(role: Role, known: Partial<Record<Role, Quantity>>): string | undefined {
  return known[role] ? undefined : 'not measured here';
}

type Commands = NonNullable<Recommendation['commands']>;

/** One form as text: its files under their names, then the commands. */
export function formText({ files, activate }: Commands['forms'][number]): string {
  const texts = files.map(({ path, text, executable }) => `# ${path}${executable ? ', executable' : ''}\n${text}`);
  return [...texts, ...(activate.length > 0 ? [activate.join('\n')] : [])].join('\n');
}
