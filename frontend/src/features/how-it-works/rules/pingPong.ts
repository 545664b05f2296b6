// SPDX-License-Identifier: Apache-2.0
// One request at a time beside a throttle, by four rules, as `ping_pong.py` of the models defines them.
import { decimal } from '../../../plots/number';
import {
  type Bar,
  type Event,
  inOrder,
  type Lane,
  type Numbers,
  type Random,
  type Replay,
  type Rule,
  sums,
  until,
} from './rule';

interface Trip {
  readonly sent_us: number;
  /** When the reply is at the interface, and when its interrupt comes. */
  readonly there_us: number;
  readonly told_us: number;
}

type Trips = (v: Numbers, random: Random, many: number) => Trip[];

/** Each request goes out when the reply to the one before is told of. */
function chained(many: number, told: (sent: number, there: number) => number, base: number): Trip[] {
  const trips: Trip[] = [];
  let sent_us = 0;
  for (let k = 0; k < many; k++) {
    const there_us = sent_us + base;
    const told_us = told(sent_us, there_us);
    trips.push({ sent_us, there_us, told_us });
    sent_us = told_us;
  }
  return trips;
}

/** Where the interrupt also tells of what was sent: it comes so soon after the request, as a share of the shorter time. */
const SOON = 0.01;

export const TRIPS: Readonly<Record<string, Trips>> = {
  latency_us: (v, _, many) => chained(many, (sent, there) => Math.max(there, sent + v.delay_us), v.base_latency_us),
  shared_interrupt_latency_us: (v, _, many) => {
    const soon = SOON * Math.min(v.base_latency_us, v.delay_us);
    let last = 0;
    return chained(
      many,
      (sent, there) => {
        const gone = Math.max(sent + soon, last + v.delay_us);
        if (gone < there) last = gone;
        last = Math.max(there, last + v.delay_us);
        return last;
      },
      v.base_latency_us,
    );
  },
  ticking_latency_us: (v, _, many) =>
    chained(
      many,
      (sent, there) => (v.delay_us > 0 ? sent + v.delay_us * Math.ceil(v.base_latency_us / v.delay_us) : there),
      v.base_latency_us,
    ),
  unlocked_latency_us: (v, random, many) => {
    const { delay_us: delay, base_latency_us: base, moderated_hosts: hosts } = v;
    const tick = (phase: number, t: number): number => (delay > 0 ? phase + delay * Math.ceil((t - phase) / delay) : t);
    const client = random() * delay;
    const trips: Trip[] = [];
    let sent_us = 0;
    for (let k = 0; k < many; k++) {
      // whole periods, so that no moment of the clocks is more likely
      sent_us += 2 * delay * random();
      const arrived = sent_us + 0.5 * base;
      // the hosts' clocks run past each other
      const there_us = (hosts > 1 ? tick(random() * delay, arrived) : arrived) + 0.5 * base;
      const told_us = hosts > 0 ? tick(client, there_us) : there_us;
      trips.push({ sent_us, there_us, told_us });
      sent_us = told_us;
    }
    return trips;
  },
};

const TITLES: Readonly<Record<string, string>> = {
  latency_us: 'From the last interrupt',
  shared_interrupt_latency_us: 'The same, shared with what is sent',
  ticking_latency_us: 'A clock of its own',
  unlocked_latency_us: 'Requests at random moments',
};

function play(v: Numbers, random: Random, many: number): Replay {
  const lanes: Lane[] = [];
  const events: Event[][] = [];
  const counted: Record<string, (t: number) => number> = {};
  let until_us = Number.POSITIVE_INFINITY;
  for (const [name, tripsOf] of Object.entries(TRIPS)) {
    const trips = tripsOf(v, random, many);
    const told = trips.map((trip) => trip.told_us);
    const times = sums(trips.map((trip) => trip.told_us - trip.sent_us));
    const bars: Bar[] = trips.flatMap(({ sent_us, there_us, told_us }) => [
      { start_us: sent_us, end_us: there_us, tone: 'packet' as const },
      { start_us: there_us, end_us: told_us, tone: 'idle' as const },
    ]);
    const whole = (t: number): number => times[until(told, t)] / until(told, t);
    lanes.push({
      title: TITLES[name],
      now: (t) => (until(told, t) === 0 ? 'none is back' : `${decimal(until(told, t), 0)} are back`),
      bars,
      marks: { t_us: told },
    });
    events.push(
      told.map((t_us, k) => ({
        t_us,
        words: () => `${TITLES[name]}: reply ${decimal(k + 1, 0)} after ${decimal(t_us - trips[k].sent_us, 1)} µs`,
      })),
    );
    counted[name] = whole;
    until_us = Math.min(until_us, told[told.length - 1]);
  }
  return {
    until_us,
    span_us: 6 * Math.max(v.base_latency_us, v.delay_us),
    lanes,
    events: inOrder(...events).filter((event) => event.t_us <= until_us),
    counted,
  };
}

export const PING_PONG: Rule = {
  model: 'ping-pong-throttle',
  story:
    'A request goes out when the reply to the one before is there. Dark: under way; light: the reply waits for its interrupt. Where the throttle counts from decides what the round trip becomes: move the delay past the round trip and see the second lane jump.',
  start: { delay_us: 50, base_latency_us: 57, moderated_hosts: 2 },
  ranges: { delay_us: [0, 500, 1], base_latency_us: [1, 500, 1], moderated_hosts: [0, 2, 1] },
  counts: 'requests',
  many: () => 4000,
  play,
};
