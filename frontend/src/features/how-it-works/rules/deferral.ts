// SPDX-License-Identifier: Apache-2.0
// Three loops that hand packets up in Linux: interrupt, timer and application, as `software_deferral.py` of the models defines them.
import { decimal } from '../../../plots/number';
import {
  atRandom,
  type Bar,
  counted,
  type Event,
  enough,
  inOrder,
  type Lane,
  type Numbers,
  type Random,
  type Replay,
  type Rule,
  sums,
  until,
} from './rule';
import { arrivalEvents, gapOf, packetsLane, waitsOf } from './turns';

const BY = { interrupt: 0, timer: 1, application: 2 } as const;

export interface Deferred {
  readonly arrivals: Float64Array;
  /** When a loop finds each packet; the application is taken to find at once what comes while it is at work. */
  readonly told: Float64Array;
  /** Which loop does. */
  readonly by: Uint8Array;
  /** When the application gets to it. */
  readonly started: Float64Array;
  readonly interrupts: readonly number[];
  /** Ends of timers, and the packets that each found. */
  readonly polls: readonly number[];
  readonly found: readonly number[];
  readonly timers: readonly Bar[];
  readonly work: readonly Bar[];
}

/**
 * A poll that found something, and the application's time for it, are followed by timers until one finds something or `deferrals` found
 * nothing; then the next packet interrupts.
 */
export function deferred(
  arrivals: Float64Array,
  timeout_us: number,
  deferrals: number,
  packet_cost_us: number,
): Deferred {
  const many = arrivals.length;
  const [told, started, by] = [new Float64Array(many), new Float64Array(many), new Uint8Array(many)];
  const [interrupts, polls, found]: number[][] = [[], [], []];
  const [timers, work]: Bar[][] = [[], []];
  let next = 0;
  let done = 0;
  /** What has come by then, found by a loop; and what comes while the application is at work on it. */
  const hand = (t: number, loop: number): number => {
    const first = next;
    done = Math.max(done, t);
    while (next < many && arrivals[next] <= t) take(t, loop);
    const brought = next - first;
    while (next < many && arrivals[next] < done) take(arrivals[next], BY.application);
    if (done > t) work.push({ start_us: t, end_us: done, tone: 'packet' });
    return brought;
  };
  const take = (t: number, loop: number): void => {
    told[next] = t;
    by[next] = loop;
    started[next] = done;
    done += packet_cost_us;
    next++;
  };
  while (next < many) {
    interrupts.push(arrivals[next]);
    hand(arrivals[next], BY.interrupt);
    let clock = done;
    for (let empty = 0; empty < deferrals && next < many; ) {
      const due = clock + timeout_us;
      timers.push({ start_us: clock, end_us: due, tone: 'idle' });
      polls.push(due);
      const brought = hand(due, BY.timer);
      found.push(brought);
      clock = brought > 0 ? done : due;
      empty = brought > 0 ? 0 : empty + 1;
    }
  }
  return { arrivals, told, by, started, interrupts, polls, found, timers, work };
}

/** When the application would get to each packet if it were served at once. */
function served(arrivals: Float64Array, cost: number): Float64Array {
  let done = 0;
  return arrivals.map((t) => {
    const begin = Math.max(t, done);
    done = begin + cost;
    return begin;
  });
}

function countsOf(d: Deferred, v: Numbers): Replay['counted'] {
  const { arrivals, told, by, started, interrupts, polls } = d;
  // the first interrupt only begins
  const begin = interrupts[0];
  const places = (t: number): readonly [number, number] => [1, Math.max(1, until(told, t))];
  const since = (times: readonly number[]) => {
    const before = until(times, begin);
    return (t: number): number => until(times, t) - before;
  };
  const [interrupted, polled] = [since(interrupts), since(polls)];
  const packets = (t: number): number => until(told, t) - 1;
  const rate = (events: (t: number) => number) => (t: number) => (1e6 * v.queues * events(t)) / (t - begin);
  const share = (loop: number) => {
    const summed = sums(by.map((each) => Number(each === loop)));
    return (t: number) => (summed[until(told, t)] - summed[1]) / packets(t);
  };
  const own = {
    rx_interrupt_rate_hz: rate(interrupted),
    timer_poll_rate_hz: rate(polled),
    packets_per_poll: (t: number) => packets(t) / (interrupted(t) + polled(t)),
    interrupt_share: share(BY.interrupt),
    timer_share: share(BY.timer),
    busy_poll_share: share(BY.application),
  };
  if (!('packet_cost_us' in v)) return { ...own, ...waitsOf(arrivals, told, places) };
  const atOnce = served(arrivals, v.packet_cost_us);
  const added = sums(started.map((t, k) => t - atOnce[k]));
  // what moderation adds is spread as the waits of the packets that the application did not find by itself
  const otherwise = (values: Float64Array) => values.filter((_, k) => by[k] !== BY.application);
  const found = otherwise(told);
  return {
    ...own,
    ...waitsOf(otherwise(arrivals), found, (t) => [1, Math.max(1, until(found, t))]),
    added_latency_us: (t) => (added[until(told, t)] - added[1]) / packets(t),
  };
}

function replayOf(d: Deferred, v: Numbers): Replay {
  const { arrivals, told, interrupts, polls, found, timers, work } = d;
  const starts = timers.map((bar) => bar.start_us);
  const lanes: Lane[] = [
    packetsLane(arrivals, told),
    {
      title: 'Interrupts',
      now: (t) => `${decimal(until(interrupts, t), 0)} so far`,
      marks: { t_us: interrupts },
    },
    {
      title: 'Timer',
      now: (t) => {
        const left = (timers[until(starts, t) - 1]?.end_us ?? t) - t;
        return left > 0 ? `${decimal(left, 1)} µs left` : 'not running';
      },
      bars: timers,
    },
    {
      title: 'Polls by the timer',
      now: (t) => {
        const n = until(polls, t);
        return n === 0 ? 'none yet' : `the last found ${found[n - 1]}`;
      },
      marks: { t_us: polls, label: (k) => String(found[k]) },
    },
  ];
  if ('packet_cost_us' in v)
    lanes.push({
      title: 'Application',
      now: (t) => (work.some((w) => w.start_us <= t && t < w.end_us) ? 'at work, and polls' : 'waits'),
      bars: work,
    });
  const events: Event[] = [
    ...interrupts.map((t_us) => ({ t_us, words: () => 'Interrupt: no timer was running' })),
    ...polls.map((t_us, k) => ({
      t_us,
      words: () => `The timer polls and finds ${found[k] === 0 ? 'nothing' : counted(found[k], 'packet')}`,
    })),
    ...work.map(({ end_us }) => ({ t_us: end_us, words: () => 'The application polls and finds nothing' })),
  ];
  const until_us = told[told.length - 1];
  const gap = gapOf(v);
  return {
    until_us,
    span_us: 5 * (v.gro_flush_timeout_us + Math.min(gap, 400)) + 6 * gap,
    lanes,
    events: inOrder(arrivalEvents(arrivals), events).filter((event) => event.t_us <= until_us),
    counted: countsOf(d, v),
  };
}

const play = (v: Numbers, random: Random, many: number): Replay =>
  replayOf(
    deferred(atRandom(random, gapOf(v), many), v.gro_flush_timeout_us, v.napi_defer_hard_irqs, v.packet_cost_us ?? 0),
    v,
  );

const ranges = {
  gro_flush_timeout_us: [1, 500, 1],
  packet_rate_hz: [1000, 1_000_000, 1000],
  queues: [1, 16, 1],
} as const;
const start = { gro_flush_timeout_us: 20, packet_rate_hz: 40_000, napi_defer_hard_irqs: 2 };
const shared = {
  counts: 'packets' as const,
  many: (v: Numbers) => enough(2 + v.gro_flush_timeout_us / gapOf(v)),
  play,
};

export const RULES_OF_DEFERRAL: readonly Rule[] = [
  {
    model: 'deferred-interrupts',
    story:
      'A poll that found packets leaves the interrupt off and starts a timer, which polls again. Only after so many polls in a row that find nothing is the interrupt back on, for the next packet.',
    start,
    ranges,
    ...shared,
  },
  {
    model: 'suspended-interrupts',
    story:
      'The application polls for as long as it finds packets, and nothing else does. When it finds none, timers take over, and after some empty ones the interrupt. Raise the rate, and one loop after the other falls silent.',
    start,
    ranges: { ...ranges, packet_cost_us: [0, 20, 0.01] },
    ...shared,
  },
];
