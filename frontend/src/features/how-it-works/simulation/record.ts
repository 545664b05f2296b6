// SPDX-License-Identifier: Apache-2.0
// What a simulation leaves behind: everything that happened, by rising time. Times are in µs, NaN where it has not happened.

export interface Packet {
  readonly start_us: number;
  readonly end_us: number;
  /** When an interrupt told of it, or a poll found it. */
  announced_us: number;
  /** Which interrupt; -1 while none has. */
  interrupt: number;
  /** When the application has it. */
  delivered_us: number;
  /** Where it was lost. */
  lost: 'ring' | 'queue' | null;
  lost_us: number;
}

export interface Interrupt {
  readonly raised_us: number;
  served_us: number;
  ended_us: number;
  packets: number;
}

export type Timer = 'absolute' | 'packet' | 'throttle';

/** A timer that ran: it ends at its time, or earlier if something else interrupted or it was started again. */
export interface Countdown {
  readonly timer: Timer;
  readonly start_us: number;
  readonly due_us: number;
  end_us: number;
}

export type Task = 'interrupt' | 'poll' | 'application';

/** The CPU at one thing. */
export interface Work {
  readonly task: Task;
  readonly start_us: number;
  end_us: number;
}

/** From `t_us` on: packets in the ring, and in the queue behind it. */
export interface Depth {
  readonly t_us: number;
  readonly ring: number;
  readonly queue: number;
}

export type What = 'arrived' | 'lost' | 'started' | 'expired' | 'raised' | 'polled' | 'delivered';

/** One line of the list of events; `n` counts packets or interrupts from 1. */
export interface Happening {
  readonly t_us: number;
  readonly what: What;
  readonly n: number;
  readonly packets: number;
}

export interface Simulation {
  readonly until_us: number;
  readonly packets: readonly Packet[];
  readonly interrupts: readonly Interrupt[];
  readonly countdowns: readonly Countdown[];
  readonly works: readonly Work[];
  readonly depths: readonly Depth[];
  readonly happenings: readonly Happening[];
}

/** How many of a list by rising time lie at or before `t`. */
export function upTo<T>(list: readonly T[], time: (item: T) => number, t: number): number {
  let [lo, hi] = [0, list.length];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (time(list[middle]) <= t) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}
