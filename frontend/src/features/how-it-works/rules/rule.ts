// SPDX-License-Identifier: Apache-2.0
// A rule of moderation, applied to one packet after the other, and what it leaves behind. Times are in µs.

export type Numbers = Readonly<Record<string, number>>;
export type Random = () => number;

export type Tone = 'packet' | 'interrupt' | 'idle' | 'sleep';

/** Something that lasts; those of a lane do not overlap. */
export interface Bar {
  readonly start_us: number;
  readonly end_us: number;
  readonly tone: Tone;
}

/** From `t_us` on, this many. */
export interface Step {
  readonly t_us: number;
  readonly value: number;
}

/** One lane of the picture; every list is by rising time. */
export interface Lane {
  readonly title: string;
  /** What stands beside the title at a moment. */
  now(t_us: number): string;
  readonly bars?: readonly Bar[];
  /** Moments, and what each brought. */
  readonly marks?: { readonly t_us: ArrayLike<number>; readonly label?: (k: number) => string };
  /** Packets from their arrival to what tells of them. */
  readonly waits?: { readonly from_us: ArrayLike<number>; readonly to_us: ArrayLike<number> };
  readonly steps?: readonly Step[];
}

/** A line of the list of events. */
export interface Event {
  readonly t_us: number;
  words(): string;
}

export interface Replay {
  readonly until_us: number;
  /** How much time suits a picture: some turns of the rule. */
  readonly span_us: number;
  readonly lanes: readonly Lane[];
  readonly events: readonly Event[];
  /** Each output of the model as counted until a moment; NaN where nothing can be said yet. */
  readonly counted: Readonly<Record<string, (t_us: number) => number>>;
}

export interface Rule {
  /** Id of the model whose formulas stand beside it. */
  readonly model: string;
  /** What happens, and what to look for. */
  readonly story: string;
  /** Where it starts, where the model has no default or one at which there is little to see. */
  readonly start: Numbers;
  /** Ends and step of a slider where the quantity's own reach beyond what can be played. */
  readonly ranges: Readonly<Record<string, readonly [number, number, number]>>;
  /** What is played: so many packets, requests or draws. */
  readonly counts: 'packets' | 'requests' | 'draws';
  /** How many are played, so that the counts settle. */
  many(v: Numbers): number;
  play(v: Numbers, random: Random, many: number): Replay;
}

/** How many of a list by rising time lie at or before `t`. */
export function until(times: ArrayLike<number>, t: number): number {
  let [lo, hi] = [0, times.length];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (times[middle] <= t) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

/** Sums of the first 0, 1, 2 … of a list. */
export function sums(values: ArrayLike<number>): Float64Array {
  const found = new Float64Array(values.length + 1);
  for (let k = 0; k < values.length; k++) found[k + 1] = found[k] + values[k];
  return found;
}

/** The least value that a share of a list does not exceed. */
export function quantile(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN;
  return values.slice().sort()[Math.max(0, Math.ceil(share * values.length) - 1)];
}

/** A time that passes without an event of a Poisson process of mean distance `gap`. */
const exponential = (random: Random, gap: number): number => -Math.log(1 - random()) * gap;

/** Packets at random, `gap_us` apart on average. */
export function atRandom(random: Random, gap_us: number, many: number): Float64Array {
  const found = new Float64Array(many);
  let t = 0;
  for (let k = 0; k < many; k++) {
    t += exponential(random, gap_us);
    found[k] = t;
  }
  return found;
}

/** Enough for the counts to settle where so many share a turn. */
export const enough = (aTurn: number): number =>
  Math.round(Math.max(20_000, Math.min(100_000, 600 * Math.max(1, aTurn))));

export const inOrder = (...lists: readonly (readonly Event[])[]): readonly Event[] =>
  lists.flat().sort((a, b) => a.t_us - b.t_us);

export const counted = (n: number, one: string): string => (n === 1 ? `1 ${one}` : `${n} ${one}s`);
