// SPDX-License-Identifier: Apache-2.0
// A recommendation in sentences and rows. No DOM.
import type { Candidate, Factors, Kind, Recommendation } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { brief, decimal } from '../../plots/number';
import type { Goal, Role } from '../../state/advice';
import { type Axis, delayMicroseconds, isDelay, type Layout, positionOn } from '../../state/layout';
import type { BundledQuantity } from '../../state/models';
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
export function goalLabel(goal: Goal, known: Partial<Record<Role, Pick<BundledQuantity, 'name'>>>): string {
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
export function valueWords(quantity: Pick<BundledQuantity, 'label' | 'unit'>, value: number): string {
  return `${brief(value, 4)}${unitAfter(quantity).replace(' ', '\u00a0')}`;
}

/** "latency", "99th percentile of latency", "system CPU time per 10⁹ bytes". */
const named = (quantity: Pick<BundledQuantity, 'label'>): string => inSentence(quantity.label);

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

function meansOf(question: Question, best: Candidate): string {
  return question.aims
    .flatMap(({ quantity }) => {
      const mean = best.means[quantity.name];
      return mean === undefined ? [] : [valueWords(quantity, mean)];
    })
    .join(', ');
}

/** The setting that the answer is about: what to set, else the best mean; null where none keeps the limits. */
export const chosenOf = (answer: Recommendation): number | null => answer.answer ?? answer.best;

/** Whose machine it was, where it is not the reader's own. */
const HOSTS: Readonly<Record<Kind, string>> = {
  published: 'On the host of this publication, for ',
  emulated: 'On the emulated host, for ',
  simulated: 'On the simulated host, for ',
  measured: 'For ',
};

export function subjectOf(question: Pick<Question, 'goal' | 'aims'>, kind: Kind): string {
  return goalWords(question).replace(/^For /, HOSTS[kind]);
}

/** What to set, in one sentence; or why nothing is said. */
export function sentenceOf(question: Question, answer: Recommendation, layout: Layout, kind: Kind): Part[] {
  const goal = subjectOf(question, kind);
  const { answer: place, best, ask, choices, candidates, tolerance_percent: tolerance } = answer;
  if (best === null) return [{ text: `${goal}: ${answer.message ?? 'no setting will do.'}` }];
  if (ask.length > 0)
    return [
      {
        text: `${goal}: how much delay is allowed? Only a cost was measured.`,
      },
    ];
  if (place === null) return [{ text: `${goal}: ${answer.message ?? 'not enough to recommend a setting.'}` }];
  const setting = candidates[place];
  const alike = choices.length - 1;
  const why = question.model
    ? `, of ${candidates.length} predictions`
    : candidates[place].probability_allowed === null
      ? `; one value for each setting: nothing is known of chance`
      : alike > 0
        ? `; it changes least of the ${choices.length} settings that lose at most ${brief(tolerance, 2)}\u00a0%`
        : `; every other setting loses more than ${brief(tolerance, 2)}\u00a0%, or may`;
  return [
    { text: `${goal}: ` },
    { text: settingName(layout, question.settingOf(setting.factors)), place, strong: true },
    { text: `, ${meansOf(question, setting)}${why}.` },
  ];
}

/** A limit on the delay to choose: what the control says, and what it would set. */
export interface Offer {
  readonly factor: string;
  readonly atMost: number;
  readonly text: string;
}

export function offersOf(question: Question, answer: Recommendation, layout: Layout): Offer[] {
  return answer.ask.map(({ factor, at_most: atMost, factors, loss_percent: loss }) => {
    const axis = [layout.x, layout.y].find((a) => a?.name === factor);
    const limit = axis ? axisWords(axis, atMost, false).replace(/^\S+/, 'at most') : `${factor} ${brief(atMost, 4)}`;
    const setting = factors === null ? 'no setting' : settingName(layout, question.settingOf(factors), false);
    const dearer = loss === null || loss < 0.05 ? '' : `, ${brief(loss, 2)}\u00a0% more`;
    return { factor, atMost, text: `${limit}: ${setting}${dearer}` };
  });
}

/** What was guarded without being asked for. */
function guardWords(
  { guards }: Recommendation,
  quantities: ReadonlyMap<string, Pick<BundledQuantity, 'label'>>,
): string[] {
  return guards.map(({ measure, value }) => {
    const quantity = quantities.get(measure);
    return `Kept without being asked: ${quantity ? named(quantity) : measure} within ${brief(value, 2)}\u00a0% of its best.`;
  });
}

/** What limits the answer, and what else may do. */
export function notesOf(
  question: Question,
  answer: Recommendation,
  quantities: ReadonlyMap<string, Pick<BundledQuantity, 'label'>>,
): string[] {
  const notes = answer.cautions.map((caution) => `Caution: ${caution}`);
  if (question.model)
    notes.push(
      `No run here has ${named(question.aims[0].quantity)}: the model “${question.model.title}” predicts it, with its default parameters.`,
    );
  notes.push(...guardWords(answer, quantities));
  if (answer.answer !== null && answer.message) notes.push(answer.message);
  if (answer.left_out > 0) notes.push(`${decimal(answer.left_out, 0)} runs without what was asked about do not count.`);
  return notes;
}

/** What the words of chance mean, where they stand. */
export const MEANINGS: readonly (readonly [string, string])[] = [
  [
    'loses at most',
    'In 95 % of 4000 random draws, each within what the replicates leave open, the setting lost no more than this against the best that keeps the limits, and it kept them in 99 %. Where measures change smoothly, neighbouring settings tell of each other.',
  ],
  [
    'changes least',
    'Fewest changes against what is set now, if that is known; then the shortest delay, then the smallest MTU.',
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
  if (place === answer.answer) return 'the answer';
  const best = place === answer.best ? 'best mean' : null;
  if (answer.choices.includes(place)) return best ? `${best}, as good` : 'as good';
  if (best) return best;
  if (candidate.resolved) return 'loses more';
  const { runs_to_resolve: runs } = candidate;
  return runs === null ? 'not sure enough' : `not sure enough; about ${decimal(runs, 0)} runs of each would tell`;
}

/** What the goal is short for, as a control says it. */
export function unmeasured(role: Role, known: Partial<Record<Role, BundledQuantity>>): string | undefined {
  return known[role] ? undefined : 'not measured here';
}

type Commands = NonNullable<Recommendation['commands']>;

/** One form as text: its files under their names, then the commands. */
export function formText({ files, activate }: Commands['forms'][number]): string {
  const texts = files.map(({ path, text, executable }) => `# ${path}${executable ? ', executable' : ''}\n${text}`);
  return [...texts, ...(activate.length > 0 ? [activate.join('\n')] : [])].join('\n');
}
