// SPDX-License-Identifier: Apache-2.0
// What a recommendation is asked for, and how an address says it: goal=trade&weigh=cpu:1.5&atmost=latency_us:500&advice=open
// The directions of limits: in percent of the best, and of what is set now, as well as in the unit of a measure.

import type { Quantity } from '../api/types';

/** What a measure can stand for, as the vocabulary says. */
export type Role = NonNullable<Quantity['aim']>;

/** Energy follows the CPU time, which would count twice. */
const WEIGHTS: Readonly<Record<Role, number>> = { throughput: 1, cpu: 1, latency: 1, energy: 0 };

/** What can be wanted. `balance`: the knee of the curve between two of them; `trade`: several of them, weighed. */
export const ROLES = Object.keys(WEIGHTS) as readonly Role[];
export const GOALS = [...ROLES, 'balance', 'trade'] as const;
export type Goal = (typeof GOALS)[number];

/** How an address calls a direction, and how the server does. */
export const DIRECTIONS = [
  ['atmost', 'at most'],
  ['atleast', 'at least'],
  ['within', 'within'],
  ['withincurrent', 'within current'],
] as const;

export interface Limit {
  readonly measure: string;
  readonly limit: (typeof DIRECTIONS)[number][1];
  readonly value: number;
}

/** What is unfolded: goal, gain and curve; or in the curve's place the commands. */
export const SHOWN = ['open', 'apply'] as const;

export interface Advice {
  /** null: the answer alone. */
  readonly open: (typeof SHOWN)[number] | null;
  /** null: what the measure on the screen is about. */
  readonly goal: Goal | null;
  /** Of the trade; 0: it does not count. */
  readonly weights: Readonly<Record<Role, number>>;
  /** In the order of the directions, each measure once in each. */
  readonly limits: readonly Limit[];
  /** Levels that are set now; {}: not said. */
  readonly current: Readonly<Record<string, number>>;
  /** Whom the commands are for. */
  readonly interface: string;
  /** null: not named. */
  readonly driver: string | null;
  /** As `uname -r` shows it; null: not named. */
  readonly kernel: string | null;
}

export const START_ADVICE: Advice = {
  open: null,
  goal: null,
  weights: WEIGHTS,
  limits: [],
  current: {},
  interface: 'eth0',
  driver: null,
  kernel: null,
};

export const MOST_WEIGHT = 3;
export const MOST_LIMITS = 8;
const MEASURE = /^[a-z][a-z0-9_.]{0,63}$/;
const INTERFACE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/;
const KERNEL = /^[0-9]+\.[0-9]+[A-Za-z0-9.+~_-]{0,58}$/;
const DRIVER = /^[a-z0-9][a-z0-9_-]{0,30}$/;

/** As `ip link` and `ethtool -i` show them. */
export const isInterface = (text: string): boolean => INTERFACE.test(text);
export const isDriver = (text: string): boolean => DRIVER.test(text);
/** As `uname -r` shows it. */
export const isKernel = (text: string): boolean => KERNEL.test(text);

/** What a field for a limit may hold: a number above zero. */
export function limitIn(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.'));
  return Number.isFinite(value) && value > 0 ? value : null;
}

const pairs = (text: string): [string, string][] =>
  text.split(',').map((part) => {
    const [name, value, ...more] = part.split(':');
    return [name, more.length > 0 ? '' : (value ?? '')];
  });

export const weightsText = (weights: Advice['weights']): string =>
  ROLES.filter((role) => weights[role] !== START_ADVICE.weights[role])
    .map((role) => `${role}:${weights[role]}`)
    .join(',');

/** Weights from an address, or what is wrong with them. */
export function readWeights(text: string): Advice['weights'] | string {
  const weights = { ...START_ADVICE.weights };
  for (const [name, value] of pairs(text)) {
    const role = ROLES.find((r) => r === name);
    if (!role) return 'weighs what is no goal';
    const weight = value.trim() === '' ? Number.NaN : Number(value);
    if (!(weight >= 0 && weight <= MOST_WEIGHT)) return `has a weight that is not between 0 and ${MOST_WEIGHT}`;
    // −0 would not come back from an address
    weights[role] = weight === 0 ? 0 : weight;
  }
  return weights;
}

export const limitsText = (limits: readonly Limit[], direction: Limit['limit']): string =>
  limits
    .filter((l) => l.limit === direction)
    .map((l) => `${l.measure}:${l.value}`)
    .join(',');

/** Limits of one direction from an address, or what is wrong with them. Whether the measure is there, the data say. */
export function readLimits(text: string, limit: Limit['limit']): readonly Limit[] | string {
  const found: Limit[] = [];
  for (const [measure, value] of pairs(text)) {
    if (!MEASURE.test(measure)) return 'limits what is no measure';
    if (found.some((l) => l.measure === measure)) return `limits ${measure} twice`;
    const bound = limitIn(value);
    if (bound === null) return `has no number above zero for ${measure}`;
    found.push({ measure, limit, value: bound });
  }
  return found.length > MOST_LIMITS ? `has more than ${MOST_LIMITS} limits` : found;
}

/** The limits of all directions, after those of one are these. */
export const withLimits = (
  limits: readonly Limit[],
  direction: Limit['limit'],
  these: readonly Limit[],
): readonly Limit[] =>
  DIRECTIONS.flatMap(([, each]) => (each === direction ? these : limits.filter((l) => l.limit === each)));

/** The limits after one of them was set, or taken away. */
export function withLimit(
  limits: readonly Limit[],
  measure: string,
  limit: Limit['limit'],
  value: number | null,
): readonly Limit[] {
  const at = limits.findIndex((l) => l.measure === measure && l.limit === limit);
  if (value === null) return limits.filter((_, i) => i !== at);
  if (at >= 0) return limits.map((l, i) => (i === at ? { ...l, value } : l));
  const next = [...limits, { measure, limit, value }];
  return DIRECTIONS.flatMap(([, direction]) => next.filter((l) => l.limit === direction));
}

export const currentText = (current: Advice['current']): string =>
  Object.entries(current)
    .map((level) => level.join(':'))
    .join(',');

/** Levels that are set now from an address, or what is wrong with them. */
export function readCurrent(text: string): Advice['current'] | string {
  const found: Record<string, number> = {};
  for (const [factor, level] of pairs(text)) {
    if (!MEASURE.test(factor)) return 'sets what is no factor';
    const value = level.trim() === '' ? Number.NaN : Number(level);
    if (!(Number.isFinite(value) && value >= 0)) return `has no level of ${factor}`;
    found[factor] = value;
  }
  return found;
}
