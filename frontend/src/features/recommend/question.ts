// SPDX-License-Identifier: Apache-2.0
// What the server is asked, from what is looked at and what is wanted; or why there is nothing to ask. No DOM.
import type { Asked } from '../../api/recommendations';
import type { Aim, Factor, Factors, FactorValue } from '../../api/types';
import { inSentence, shortLabel } from '../../components/factorWords';
import { catalogue } from '../../engine/catalogue';
import type { Advice, Goal, Role } from '../../state/advice';
import { GOALS, ROLES, START_ADVICE } from '../../state/advice';
import type { Binding } from '../../state/binding';
import type { DataSlice } from '../../state/dataSlice';
import type { ExplorerState } from '../../state/explorer';
import { type Axis, levelAt, positionOn } from '../../state/layout';
import type { BundledModel, BundledQuantity } from '../../state/models';
import type { ExperimentSubject } from '../../state/subject';

/** The measures that a goal can mean, the best first: the order of the glossary. */
const meaning = (role: Role): readonly string[] =>
  catalogue.quantities.filter((q) => q.aim === role).map((q) => q.name);
const MEANS = Object.fromEntries(ROLES.map((role) => [role, meaning(role)])) as Readonly<
  Record<Role, readonly string[]>
>;

/** The models that are about a kind of traffic. */
const ABOUT: readonly (readonly [RegExp, string])[] = [[/^(nfs|request)/i, 'request-response']];

interface Aimed {
  readonly role: Role;
  readonly quantity: BundledQuantity;
  readonly weight: number;
}

export interface Question {
  readonly goal: Goal;
  readonly aims: readonly Aimed[];
  readonly asked: Asked;
  /** Whose predictions are ranked; null: runs. */
  readonly model: BundledModel | null;
  /** The levels that the settings have in common. */
  readonly where: Factors;
  /** A setting of the answer, by the experiment's own factors. */
  settingOf(factors: Factors): Factors;
}

export interface Refusal {
  readonly goal: Goal;
  readonly reason: string;
}

/** What each goal means here, where the runs have it. */
export function measured(slice: DataSlice, shown: string): Partial<Record<Role, BundledQuantity>> {
  const found: Partial<Record<Role, BundledQuantity>> = {};
  for (const role of ROLES) {
    const names = MEANS[role].includes(shown) ? [shown, ...MEANS[role]] : MEANS[role];
    const name = names.find((n) => slice.measures.some((m) => m.name === n));
    const quantity = slice.measures.find((m) => m.name === name);
    if (quantity) found[role] = quantity;
  }
  return found;
}

/** The goal that was chosen, or the one that the measure on the screen is about. */
function goalOf(advice: Advice, shown: string, known: Partial<Record<Role, BundledQuantity>>): Goal {
  if (advice.goal) return advice.goal;
  return ROLES.find((role) => MEANS[role].includes(shown)) ?? ROLES.find((role) => known[role]) ?? 'throughput';
}

function nearest(axis: Axis, value: number): number {
  return axis.levels.reduce((a, b) => (Math.abs(b - value) < Math.abs(a - value) ? b : a), axis.levels[0]);
}

/**
 * The levels of what nobody chooses, as traffic: those that are looked at; on an axis, the one under the crosshair. What can be chosen
 * is of the answer, on an axis or not.
 */
export function levelsOf(
  slice: DataSlice,
  state: Pick<ExplorerState, 'where' | 'x' | 'y'>,
  factors: readonly Factor[],
): Record<string, FactorValue> {
  const given = (name: string) => factors.some((factor) => factor.name === name && !factor.choice);
  const { x, y } = slice.layout;
  const axes = [
    { axis: x, at: state.x },
    { axis: y, at: state.y },
  ].flatMap(({ axis, at }) =>
    axis && at !== null && axis.levels.length > 1 && given(axis.name) ? [{ axis, near: nearest(axis, at) }] : [],
  );
  const levelOf = (axis: Axis, level: number): FactorValue => (axis.names ? levelAt(axis, level) : level);
  // with gaps in the design, the nearest cell that there is
  const away = ({ factors: own }: DataSlice['cells'][number]): number =>
    axes.reduce((sum, { axis, near }) => {
      const level = positionOn(axis, own[axis.name]);
      return level === null ? Infinity : sum + Math.abs(axis.levels.indexOf(level) - axis.levels.indexOf(near));
    }, 0);
  const cell = slice.cells.reduce((a, b) => (away(b) < away(a) ? b : a), slice.cells[0]);
  const here = axes.map(({ axis, near }) => [axis.name, cell?.factors[axis.name] ?? levelOf(axis, near)]);
  const held = Object.entries(state.where).filter(([name]) => given(name));
  return Object.fromEntries([...held, ...here]);
}

interface Grid {
  readonly over: Record<string, number[]>;
  readonly values: Record<string, number>;
  /** By the name of the model's input: the axis, and its levels as the model takes them. */
  readonly axes: ReadonlyMap<string, { readonly axis: Axis; readonly as: readonly number[] }>;
}

/** The settings of the axes as the model's inputs; null where it takes what only a cell could say. */
function gridOf({ model, sources, terms }: Binding, slice: DataSlice): Grid | null {
  const names = [...model.inputs, ...model.parameters].map((q) => q.name);
  const grid: Grid = { over: {}, values: {}, axes: new Map() };
  const axes = new Map(grid.axes);
  for (const [i, source] of sources.entries()) {
    const name = names[i];
    if (source.from === 'cells') return null;
    if (source.from === 'level') grid.values[name] = source.value;
    else if (source.from === 'scalar') {
      const term = terms.find((t) => t.name === name);
      if (i < model.inputs.length && term) grid.values[name] = term.start;
    } else {
      const axis = slice.layout[source.from];
      if (!axis || axis.names) return null;
      const as = axis.levels.map(source.convert);
      grid.over[name] = as;
      axes.set(name, { axis, as });
    }
  }
  return axes.size > 0 ? { ...grid, axes } : null;
}

function toOwn(grid: Grid, factors: Factors): Factors {
  const own: Record<string, FactorValue> = {};
  for (const [name, level] of Object.entries(factors)) {
    const known = grid.axes.get(name);
    if (!known) continue;
    const at = known.as.findIndex((v) => Math.abs(v - Number(level)) <= 1e-9 * Math.max(1, Math.abs(v)));
    if (at >= 0) own[known.axis.name] = known.axis.levels[at];
  }
  return own;
}

/** The model that is about the traffic of these settings and predicts what is wanted. */
function predictor(role: Role, slice: DataSlice, traffic: string): { binding: Binding; measure: string } | null {
  const id = ABOUT.find(([pattern]) => pattern.test(traffic))?.[1];
  for (const measure of MEANS[role]) {
    const binding = slice.bindings(measure).find((b) => b.model.id === id && b.output === measure);
    if (binding) return { binding, measure };
  }
  return null;
}

const LABELS: Readonly<Record<Role, string>> = {
  throughput: 'throughput',
  cpu: 'CPU time',
  latency: 'latency',
  energy: 'energy',
};

type Rest = Omit<Asked['request'], 'aims' | 'model' | 'over'>;

function restOf(advice: Advice): Rest {
  return {
    constraints: advice.limits.map(({ measure, limit, value }) => ({ measure, limit, value })),
    ...(Object.keys(advice.current).length > 0 ? { current: { ...advice.current } } : {}),
    interface: START_ADVICE.interface,
  };
}

/** The same question with whom the commands are for: the answer is the same. */
export function appliedTo(asked: Asked, { interface: name, driver, kernel }: Machine): Asked {
  const whom = { interface: name, ...(driver ? { driver, ...(kernel ? { kernel } : {}) } : {}) };
  if (asked.of === 'runs') return { ...asked, request: { ...asked.request, ...whom } };
  return { ...asked, request: { ...asked.request, ...whom } };
}

export type Machine = Pick<Advice, 'interface' | 'driver' | 'kernel'>;

const aimOf = ({ quantity, weight }: Aimed): Aim => ({ measure: quantity.name, weight });

function trafficOf(subject: ExperimentSubject, where: Factors): string {
  const still = subject.experiment.factors.find((f) => f.name === 'workload' && f.levels.length === 1);
  return String(where.workload ?? still?.levels[0] ?? '');
}

/** The measures of a goal; a balance is what the traffic gets against what it costs. */
function wantedBy(goal: Goal, advice: Advice, known: Partial<Record<Role, BundledQuantity>>): readonly Role[] {
  if (goal === 'trade') return ROLES.filter((role) => advice.weights[role] > 0);
  if (goal === 'balance') return [known.throughput || !known.latency ? 'throughput' : 'latency', 'cpu'];
  return [goal];
}

/** That nobody sets what varies here, or null where somebody does. */
function nothingToChoose({ experiment }: ExperimentSubject): string | null {
  const varied = experiment.factors.filter((factor) => factor.levels.length > 1);
  if (varied.length === 0 || varied.some((factor) => factor.choice)) return null;
  const names = varied
    .map(({ name, label }) => inSentence(shortLabel(name, label.replace(/^factor\./, ''))))
    .join(', ');
  return `Nothing here is for choice: ${names} ${varied.length > 1 ? 'say' : 'says'} what the traffic or the host is, and nobody sets it. Measure settings that somebody can choose, such as delays, three times or more.`;
}

export function questionOf(
  subject: ExperimentSubject,
  slice: DataSlice,
  state: Pick<ExplorerState, 'where' | 'x' | 'y' | 'measure' | 'advice'>,
): Question | Refusal {
  const { advice } = state;
  const known = measured(slice, state.measure);
  const goal = goalOf(advice, state.measure, known);
  const where = levelsOf(slice, state, subject.experiment.factors);
  if (subject.opened)
    return {
      goal,
      reason:
        'These runs are only open in this page: a server that they are uploaded to can say which setting to choose.',
    };
  const idle = nothingToChoose(subject);
  if (idle) return { goal, reason: idle };
  const wanted = wantedBy(goal, advice, known);
  const aims = wanted.flatMap((role): Aimed[] => {
    const quantity = known[role];
    return quantity ? [{ role, quantity, weight: goal === 'trade' ? advice.weights[role] : 1 }] : [];
  });
  if (goal === 'balance' && aims.length < 2)
    return {
      goal,
      reason: `A balance is between CPU time and throughput, or latency; the runs have ${aims.length === 1 ? `${LABELS[aims[0].role]} only` : 'none of them'}.`,
    };
  if (goal === 'trade' && aims.length < 2)
    return {
      goal,
      reason:
        aims.length === 1
          ? `A trade needs two measures; of what is weighed, the runs have ${LABELS[aims[0].role]} only. Weigh or measure another.`
          : 'Give at least two measured goals a weight.',
    };
  const rest = restOf(advice);
  const without = subject.without?.length ? { without: [...subject.without] } : {};
  const { slug } = subject.experiment;
  if (aims.length > 0)
    return {
      goal,
      aims,
      model: null,
      where,
      asked: {
        of: 'runs',
        slug,
        request: { ...rest, aims: aims.map(aimOf), ...(goal === 'balance' ? { goal } : {}), where, ...without },
      },
      settingOf: (factors) => factors,
    };
  const role = wanted[0];
  const found = predictor(role, slice, trafficOf(subject, where));
  const grid = found && gridOf(found.binding, slice);
  const quantity = found?.binding.model.outputs.find((o) => o.name === found.measure);
  if (!found || !grid || !quantity)
    return {
      goal,
      reason: `No run here has ${LABELS[role]}, and no model predicts it for this traffic: measure it in each setting, three times or more, or ask for something else.`,
    };
  const aim: Aimed = { role, quantity, weight: 1 };
  const { model } = found.binding;
  const request = { ...rest, model: model.id, values: grid.values, over: grid.over, aims: [aimOf(aim)] };
  return {
    goal,
    aims: [aim],
    model,
    where,
    asked: { of: 'model', request },
    settingOf: (factors) => toOwn(grid, factors),
  };
}

/** What can be asked here, goal by goal, with the limits and weights that are set. */
export function questionsNear(
  subject: ExperimentSubject,
  slice: DataSlice,
  state: Parameters<typeof questionOf>[2],
): Asked[] {
  const questions = GOALS.map((goal) => questionOf(subject, slice, { ...state, advice: { ...state.advice, goal } }));
  return questions.flatMap((question) => (isRefusal(question) ? [] : [question.asked]));
}

export const isRefusal = (question: Question | Refusal): question is Refusal => 'reason' in question;
