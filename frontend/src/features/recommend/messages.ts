// SPDX-License-Identifier: Apache-2.0
// A recommendation in sentences and rows. No DOM.
import type { Candidate, Kind, Recommendation } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { catalogue } from '../../engine/catalogue';
import { brief, decimal } from '../../plots/number';
import { type Goal, ROLES, type Role } from '../../state/advice';
import { isDelay, type Layout } from '../../state/layout';
import type { BundledQuantity } from '../../state/models';
import { shortName, unitAfter } from '../explorer/figure/messages';
import {
  bothValues,
  comparison,
  type Effect,
  isAlike,
  named,
  namedChange,
  TWICE_PERCENT,
  valueWords,
} from './changeWords';
import { limitsOf } from './figureLimits';
import type { Question } from './question';
import type { Part } from './Sentence';
import { axisWords, givenWords, settingName, waitLimit } from './settingWords';

const GOAL_LABELS: Readonly<Record<Goal, string>> = {
  throughput: 'Throughput',
  cpu: 'CPU per GB',
  latency: 'Latency',
  energy: 'Energy per GB',
  balance: 'Balance',
  trade: 'Weigh',
};

/** A goal as a control says it: not all that is known of CPU time and energy is per GB. */
export function goalLabel(goal: Goal, known: Partial<Record<Role, Pick<BundledQuantity, 'name'>>>): string {
  const label = GOAL_LABELS[goal];
  const quantity = goal === 'balance' || goal === 'trade' ? undefined : known[goal];
  return quantity && !quantity.name.endsWith('_per_gb') ? label.replace(' per GB', '') : label;
}

/** Whose machine the answer is about, and where it is not the reader's own. */
const HOSTS: Readonly<Record<Kind, string>> = {
  published: 'for the host of this publication, not for yours',
  emulated: 'for the emulated host, not for yours',
  simulated: 'for the simulated host, not for yours',
  measured: 'for the host that was measured',
};

export const hostWords = (kind: Kind): string => HOSTS[kind];

/** "system CPU time per 10⁹ bytes 12.1 s, 26 % less (24 to 28)" of each measure that is aimed at. */
function aimWords(question: Question, answer: Recommendation, best: Candidate): Part[] {
  return question.aims.flatMap(({ quantity }, i): Part[] => {
    const mean = best.means[quantity.name];
    if (mean === undefined) return [];
    const effect = answer.effects.find((e) => e.measure === quantity.name);
    const value = `${i > 0 ? '; ' : ''}${named(quantity)} ${valueWords(quantity, mean, best.ci95[quantity.name])}`;
    return effect ? [{ text: `${value}, ` }, ...comparison(effect)] : [{ text: value }];
  });
}

/** How many settings would do as well, and why this one. */
export function whyOf(question: Question, answer: Recommendation): string | null {
  const { answer: place, choices, candidates, tolerance_percent: tolerance } = answer;
  if (place === null) return null;
  const lost = `${brief(tolerance, 2)}\u00a0%`;
  if (question.model) return `It changes least of the ${choices.length} predictions that lose at most ${lost}.`;
  if (candidates[place].surely_allowed === null)
    return `One value for each setting${answer.means_of === null ? '' : `, a mean of ${answer.means_of} runs or more`}: nothing is known of chance.`;
  const of =
    choices.length > 1
      ? `It changes least of the ${choices.length} settings that keep the limits and lose at most ${lost}.`
      : `Every other setting violates a limit or loses more than ${lost}, or may.`;
  return `${of} By their runs: no model is in it.`;
}

const notEnough = (why: string): Part[] => [
  { text: 'Not enough to recommend.', strong: true },
  {
    text: ` ${why
      .replace(/^Not enough to recommend a setting: none/, 'No setting')
      .replace(/^Not enough to recommend a setting: (.)/, (_, first: string) => first.toUpperCase())}`,
  },
];

/** The server's words, with the names of the axes as the page has them. */
const byAxisNames = (text: string, { x, y }: Layout): string =>
  [x, y].reduce((words, axis) => (axis ? words.replaceAll(axis.name, inSentence(shortName(axis))) : words), text);

/** Why there is no answer, where the question was refused. */
export const refusedWords = notEnough;

/** Why there is none yet, where it was not answered at all. */
export const unansweredWords = (why: string): Part[] => [{ text: 'No answer yet.', strong: true }, { text: ` ${why}` }];

/** What to set, and what it gains; or why nothing is said. */
export function sentenceOf(question: Question, answer: Recommendation, layout: Layout): Part[] {
  const { answer: place, best, ask, candidates, reference } = answer;
  if (best === null) return [{ text: 'No setting will do.', strong: true }, { text: ` ${answer.message ?? ''}` }];
  if (ask.length > 0)
    return [
      { text: 'How long may a packet wait?', strong: true },
      { text: ' What a delay costs in latency was not measured, and least CPU alone says: longer.' },
    ];
  if (place === null) {
    const so = { text: settingName(layout, question.settingOf(candidates[best].factors)), place: best, strong: true };
    return [
      ...notEnough(byAxisNames(answer.message ?? '', layout)),
      { text: ' The best mean so far: ' },
      so,
      { text: '.' },
    ];
  }
  const chosen = candidates[place];
  const name = { text: settingName(layout, question.settingOf(chosen.factors)), place, strong: true };
  const source = question.model ? `As the model “${question.model.title}” predicts, no run: ` : 'Set ';
  const given = `${givenWords(layout, question.where)}: `;
  const found = [{ text: source }, name, { text: given }, ...aimWords(question, answer, chosen)];
  if (answer.effects.length === 0)
    return [
      ...found,
      { text: question.model ? '.' : `; ${FURTHER} ${brief(answer.tolerance_percent, 2)}\u00a0%.` },
      ...equalWords(question, answer, layout),
    ];
  const there = reference === null ? 'now' : `at ${referenceWords(question, answer, layout)}`;
  const aimed = answer.effects.filter(({ measure }) => question.aims.some((a) => a.quantity.name === measure));
  const links = new Set(
    aimed.map((e) => (isAlike(e) ? 'from that' : (e.change_percent ?? 0) >= TWICE_PERCENT ? 'as' : 'than')),
  );
  const link = links.size === 1 ? [...links][0] : 'against';
  const against = { text: ` ${link} ${link === 'against' ? there.replace(/^at /, '') : there}.` };
  return [...found, against, ...costWords(answer), ...equalWords(question, answer, layout)];
}

const quantities = new Map(catalogue.quantities.map((q) => [q.name, q]));

/** " At a cost: power of the processor 1.1 → 4.5 W.", of what gets twice as bad or worse. */
function costWords({ costs, effects }: Recommendation): Part[] {
  const dear = effects.filter(({ measure }) => costs.includes(measure));
  if (dear.length === 0) return [];
  const each = dear.map((effect) => {
    const quantity = quantities.get(effect.measure);
    const name = quantity ? named(quantity) : effect.measure;
    const unit = quantity ? unitAfter(quantity) : '';
    return `${name} ${bothValues(effect)}${unit}`;
  });
  return [{ text: ' At a cost: ' }, { text: each.join('; '), strong: true }, { text: '.' }];
}

/** " As good, with CPU −52 %: MTU 9000, delay 100.", of what nobody asked about. */
function equalWords(question: Question, { equals, candidates }: Recommendation, layout: Layout): Part[] {
  const known = [...quantities.values()];
  return equals.flatMap(({ place, effects }): Part[] => [
    { text: ` As good, with ${effects.map((effect) => namedChange(effect, known)).join(', ')}: ` },
    { text: settingName(layout, question.settingOf(candidates[place].factors)), place, strong: true },
    { text: '.' },
  ]);
}

const DEFAULTS: Readonly<Partial<Record<Recommendation['basis'], string>>> = {
  default: 'the default, ',
  "driver's default": 'the driver’s default, ',
};

/** What the answer is compared with: "MTU 1500, delay 10", "the driver’s default, delay 20". */
export function referenceWords(
  question: Pick<Question, 'settingOf'>,
  { reference, basis }: Pick<Recommendation, 'reference' | 'basis'>,
  layout: Layout,
): string {
  if (reference === null) return 'now';
  return `${DEFAULTS[basis] ?? ''}${settingName(layout, question.settingOf(reference), false)}`;
}

const FURTHER = 'no setting that keeps the limits gains more than';

/** A limit on the delay to choose: what it would set, and what that would change. */
export interface Offer {
  readonly factor: string;
  readonly atMost: number;
  /** "at most 40 ticks (41.0 µs)", and in short "≤ 40 ticks". */
  readonly limit: string;
  readonly brief: string;
  readonly setting: string;
  /** Whether the runs choose a setting under this limit. */
  readonly chosen: boolean;
  readonly effects: readonly Effect[];
}

export function offersOf(question: Question, answer: Recommendation, layout: Layout): Offer[] {
  return answer.ask.map(({ factor, at_most: atMost, factors, effects }) => {
    const axis = [layout.x, layout.y].find((a) => a?.name === factor);
    const beside = layout.choices.find(({ name }) => name === factor);
    const limit =
      axis && isDelay(factor)
        ? axisWords(axis, atMost, true).replace(/^\S+/, 'at most')
        : waitLimit(axis ?? beside ?? { name: factor, label: factor, unit: '' }, atMost);
    const brief = limit.replace(/^at most/, '≤').replace(/ \(.*$/, '');
    const wouldSet = factors === null ? 'no setting' : settingName(layout, question.settingOf(factors), false);
    return { factor, atMost, limit, brief, setting: wouldSet, chosen: factors !== null, effects };
  });
}

/** Where an answer changes something: what is aimed at, what is guarded, one of each other kind that is known; then what is worse. */
export function tracked(
  question: Question,
  { guards }: Recommendation,
  known: Partial<Record<Role, BundledQuantity>>,
  effects: readonly Effect[],
): Effect[] {
  const guarded = catalogue.quantities.filter((q) => q.guarded && effects.some(({ measure }) => measure === q.name));
  const names = [
    ...question.aims.map(({ quantity }) => quantity.name),
    ...guards.map(({ measure }) => measure),
    ...ROLES.flatMap((role) => (guarded.find((q) => q.aim === role) ?? known[role])?.name ?? []),
    ...effects.filter(({ gain }) => gain === false).map(({ measure }) => measure),
  ];
  return [...new Set(names)].flatMap((name) => effects.filter((e) => e.measure === name));
}

/** "Guards: throughput within 1 % of its best; latency at most 10 % above MTU 1500, delay 10.": also those that were asked for. */
export function guardWords(
  question: Question,
  answer: Recommendation,
  layout: Layout,
  quantities: ReadonlyMap<string, Pick<BundledQuantity, 'label' | 'aim' | 'unit' | 'better'>>,
): string | null {
  const guards = limitsOf(question, answer);
  if (guards.length === 0) return null;
  const now = referenceWords(question, answer, layout);
  const isLosses = (guard: (typeof guards)[number]) =>
    answer.guards.some((own) => own === guard) && !quantities.get(guard.measure)?.aim;
  const own = guards.filter((guard) => !isLosses(guard));
  const lost = guards.find(isLosses);
  const ofNow = (value: number, less = true) => `at most ${brief(value, 2)}\u00a0% ${less ? 'above' : 'below'} ${now}`;
  const kept = own.map(({ measure, limit, value }) => {
    const quantity = quantities.get(measure) ?? { label: measure, unit: '', better: null };
    const size = `${brief(value)}${quantity.unit === '' || quantity.unit === '1' ? '' : `\u00a0${quantity.unit}`}`;
    const words = {
      within: `within ${brief(value, 2)}\u00a0% of its best`,
      'within current': ofNow(value, quantity.better !== 'more'),
      'at most': `at most ${size}`,
      'at least': `at least ${size}`,
    };
    return `${named(quantity)} ${words[limit]}`;
  });
  if (lost)
    kept.push(
      `losses ${own.some((a) => a.limit === lost.limit && a.value === lost.value) ? 'likewise' : ofNow(lost.value)}`,
    );
  return `Guards: ${kept.join('; ')}.`;
}

/** How little is known of chance, where it is little: what a folded answer must not leave out. */
export function chanceWords(question: Question, answer: Recommendation): string | null {
  if (answer.answer === null || question.model !== null) return null;
  return answer.candidates[answer.answer].surely_allowed === null ? whyOf(question, answer) : answer.message;
}

/** Whether these data say so little that the next thing to do is to measure: no answer and none offered, or one of single values. */
export function saysLittle({ answer, ask, candidates, best }: Recommendation): boolean {
  if (best === null || ask.length > 0) return false;
  return answer === null || candidates[answer].surely_allowed === null;
}

/** What limits the answer. */
export function notesOf(question: Question, answer: Recommendation): string[] {
  const notes: string[] = [];
  if (question.model)
    notes.push(
      `No run here has ${named(question.aims[0].quantity)}: the model “${question.model.title}” predicts it, with its default parameters.`,
    );
  // of values without a spread, the reason for the setting says it
  const drawn = answer.answer !== null && answer.candidates[answer.answer].surely_allowed !== null;
  if (answer.message && (drawn || question.model)) notes.push(answer.message);
  if (answer.left_out > 0) notes.push(`${decimal(answer.left_out, 0)} runs without what was asked about do not count.`);
  const without = answer.without.length;
  if (without > 0)
    notes.push(
      without === 1
        ? 'The run that this view leaves out does not count here either.'
        : `The ${without} runs that this view leaves out do not count here either.`,
    );
  return notes;
}

/** Why intervals are not those of independent runs, and of which measures, by `nameOf` them. */
export function dependenceNotes(effects: readonly Effect[], nameOf: (measure: string) => string): string[] {
  const reasons = [...new Set(effects.flatMap(({ reason }) => (reason === null ? [] : [reason])))];
  return reasons.map((reason) => {
    const names = effects.filter((e) => e.reason === reason).map(({ measure }) => nameOf(measure));
    return `${[...new Set(names)].join(', ')}: ${reason}`;
  });
}

/** What the words of chance mean, where they stand. */
export const MEANINGS: readonly (readonly [string, string])[] = [
  [
    'loses at most',
    'Of 4000 random draws, each within what the replicates leave open, the setting kept the limits in 99 %; and no other setting kept them and was better by more than this in over 5 %. Where measures change smoothly, neighbouring settings tell of each other. Where runs were asked, no model is in it.',
  ],
  [
    'changes least',
    'Fewest changes against what is set now, or the default, if that is known; then the nearest levels, then packets that wait least, then the smallest MTU.',
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
  if (!candidate.allowed) return 'violates a limit';
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
