// SPDX-License-Identifier: Apache-2.0
// The question for a fit of a user's model to an experiment: which inputs the experiment has, what is compared, and what is held.
import following from 'virtual:following';
import type { Experiment, FactorValue, NonlinearFitRequest, UserModel } from '../../api/types';
import { levelsIn, levelsText } from '../../state/levels';
import type { UserDocument } from '../../state/userModel';
import type { AskedFit } from './address';

/** The request as an address keeps it: of what is held, only what has another value than by default. */
export function askedOf(document: UserDocument, experiment: string, request: NonlinearFitRequest): AskedFit {
  const still = (name: string): number | undefined => document.parameters.find((p) => p.name === name)?.default;
  const held = Object.entries(request.held ?? {}).filter(([name, value]) => value !== still(name));
  const where = Object.entries(request.where ?? {}).map(([name, level]) => [name, String(level)]);
  return {
    experiment,
    response: request.response ?? request.output,
    free: request.free,
    held: Object.fromEntries(held),
    where: Object.fromEntries(where),
    ...(request.robust ? { robust: true as const } : {}),
  };
}

/** The most that the server takes. */
export const MOST_FREE = 12;

export interface Choice {
  readonly output: string;
  readonly response: string;
  readonly free: readonly string[];
  /** Of inputs that the experiment does not have. */
  readonly held: Readonly<Record<string, number>>;
  /** Levels by factor, several joined by commas; of the others all. */
  readonly where: Readonly<Record<string, string>>;
  /** Tukey’s bisquare instead of squares: outlying runs do not move it. */
  readonly robust: boolean;
}

export function inputsWithout(document: UserDocument, experiment: Experiment): string[] {
  const has = new Set([...experiment.factors, ...experiment.measures].map(({ name }) => name));
  return document.inputs
    .filter(
      ({ name, source }) =>
        !has.has(source ?? name) &&
        !(source === null && Object.hasOwn(following, name) && following[name].every((n) => has.has(n))),
    )
    .map(({ name }) => name);
}

/** Factors of words that the experiment varies: one level each is compared, unless more are asked for. */
export const choicesOf = (experiment: Experiment): { name: string; label: string; levels: readonly FactorValue[] }[] =>
  experiment.factors.filter(({ levels }) => levels.length > 1 && levels.some((l) => typeof l === 'string'));

/** The levels that were asked for; without a question, or where they are gone, the first. */
export function startingLevels(experiment: Experiment, asked: AskedFit | null): Record<string, string> {
  const start = choicesOf(experiment).flatMap(({ name, levels }) => {
    const text = asked?.where[name];
    if (asked !== null && text === undefined) return [];
    const known = text === undefined ? null : levelsIn(text, levels);
    return [[name, known === null ? String(levels[0]) : levelsText(known, levels)] as const];
  });
  return Object.fromEntries(start.filter(([, text]) => text !== ''));
}

/** The measure of the output's own name, else one in its unit, else the first. */
export function responseFor(document: UserDocument, output: string, experiment: Experiment, unit: string): string {
  const inputs = document.inputs.map(({ name }) => name);
  const able = experiment.measures.filter(({ name }) => !inputs.includes(name));
  const found = able.find(({ name }) => name === output) ?? able.find((m) => unit !== '' && m.unit === unit) ?? able[0];
  return found?.name ?? '';
}

export function requestOf(document: UserDocument, choice: Choice, values: Readonly<Record<string, number>>) {
  const still = document.parameters.filter((p) => !choice.free.includes(p.name) && values[p.name] !== undefined);
  const request: NonlinearFitRequest = {
    model: document.json as unknown as UserModel,
    output: choice.output,
    response: choice.response,
    free: [...choice.free],
    held: { ...choice.held, ...Object.fromEntries(still.map((p) => [p.name, values[p.name]])) },
    where: { ...choice.where },
    ...(choice.robust ? { robust: true } : {}),
  };
  return request;
}
