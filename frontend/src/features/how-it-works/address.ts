// SPDX-License-Identifier: Apache-2.0
// What is simulated, to address and back: what differs from the bare address, under the names of the glossary. No DOM.
import type { Catalogue } from '../../state/models';
import { slidersOf } from './controls';
import { START } from './presets';
import type { Numbers } from './rules/rule';
import { ruleOf, rulersOf, startOf } from './rules/rules';
import { type Parameters, SPACINGS, type Spacing } from './simulation/parameters';

export const SPEEDS = [0.1, 0.25, 1, 4, 16, 64] as const;

/** The rule of one model, played at these values of its inputs and parameters. */
export interface Played {
  readonly model: string;
  readonly values: Numbers;
}

export interface State {
  /** Of the receiver; the seed is also that of a rule. */
  readonly parameters: Parameters;
  /** What is played in the receiver's place. */
  readonly played?: Played;
  /** How fast it plays, as a multiple of what suits the settings. */
  readonly speed: number;
  /** The moment that a still picture shows [µs]; null: it plays from the start. */
  readonly at_us: number | null;
}

export const FIRST: State = { parameters: START, speed: 1, at_us: null };

const MOST_US = 1e9;

type Names = { [K in keyof Parameters]: Parameters[K] extends number ? K : never }[keyof Parameters];

/** Reads what it can; a parameter that it cannot use changes nothing else. */
export function readAddress(query: URLSearchParams, catalogue: Catalogue): State {
  const number = (name: string): number => {
    const text = query.get(name);
    return text === null || text.trim() === '' ? Number.NaN : Number(text);
  };
  const settings = (sliders: readonly { name: string; lo: number; hi: number; whole: boolean }[]): Numbers =>
    Object.fromEntries(
      sliders.flatMap(({ name, lo, hi, whole }) => {
        const value = number(name);
        return value >= lo && value <= hi && (!whole || Number.isInteger(value)) ? [[name, value]] : [];
      }),
    );
  const rule = ruleOf(query.get('model'));
  const read: Record<string, number | Spacing> = rule ? {} : { ...settings(slidersOf(catalogue)) };
  const spacing = SPACINGS.find((s) => s === query.get('spacing'));
  if (spacing) read.spacing = spacing;
  const seed = number('seed');
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) read.seed = seed;
  const at = number('at_us');
  return {
    parameters: { ...START, ...read },
    played: rule
      ? { model: rule.model, values: { ...startOf(catalogue, rule), ...settings(rulersOf(catalogue, rule)) } }
      : undefined,
    speed: SPEEDS.find((s) => s === number('speed')) ?? FIRST.speed,
    at_us: at >= 0 && at <= MOST_US ? at : null,
  };
}

export function toQuery({ parameters, played, speed, at_us }: State, catalogue: Catalogue): string {
  const query = new URLSearchParams();
  const rule = ruleOf(played?.model ?? null);
  if (rule && played) {
    query.set('model', rule.model);
    const start = startOf(catalogue, rule);
    for (const [name, value] of Object.entries(played.values)) if (value !== start[name]) query.set(name, short(value));
    if (parameters.seed !== START.seed) query.set('seed', short(parameters.seed));
  } else
    for (const [name, value] of Object.entries(parameters))
      if (value !== START[name as Names]) query.set(name, typeof value === 'number' ? short(value) : value);
  if (speed !== FIRST.speed) query.set('speed', short(speed));
  if (at_us !== null) query.set('at_us', short(at_us));
  return query.toString();
}

const short = (value: number): string => String(Number(value.toPrecision(10)));
