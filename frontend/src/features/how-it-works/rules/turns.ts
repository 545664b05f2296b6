// SPDX-License-Identifier: Apache-2.0
// Packets that share an interrupt: throttles, timers and counts of frames, as `coalescing.py` of the models defines them.
import { decimal } from '../../../plots/number';
import {
  atRandom,
  counted,
  type Event,
  enough,
  inOrder,
  type Lane,
  type Numbers,
  quantile,
  type Random,
  type Replay,
  type Rule,
  sums,
  until,
} from './rule';

export interface FrameQueue {
  readonly arrivals: Float64Array;
  /** When an interrupt tells of each. */
  readonly told: Float64Array;
  /** Interrupts. */
  readonly raised: readonly number[];
  /** How many packets the first 0, 1, 2 … interrupts told of. */
  readonly upTo: readonly number[];
}

/** Interrupts at `due(first packet, interrupt before)`, or with the last of `frames`; whole turns only. */
function turns(arrivals: Float64Array, frames: number, due: (first: number, last: number) => number): FrameQueue {
  const told = new Float64Array(arrivals.length);
  const raised: number[] = [];
  const upTo = [0];
  let last = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < arrivals.length; ) {
    let at = due(arrivals[k], last);
    let end = k;
    while (end < arrivals.length && arrivals[end] <= at && end - k < frames) end++;
    if (end - k >= frames) at = arrivals[end - 1];
    else if (end === arrivals.length) break;
    told.fill(at, k, end);
    raised.push(at);
    upTo.push(end);
    last = at;
    k = end;
  }
  const whole = upTo[upTo.length - 1];
  return { arrivals: arrivals.subarray(0, whole), told: told.subarray(0, whole), raised, upTo };
}

/** Interrupts at least `delay_us` apart. */
export const throttled = (arrivals: Float64Array, delay_us: number): FrameQueue =>
  turns(arrivals, Number.POSITIVE_INFINITY, (first, last) => Math.max(first, last + delay_us));

/** An interrupt `delay_us` after the first packet, or with the last of `frames`. */
export const gathered = (arrivals: Float64Array, delay_us: number, frames = Number.POSITIVE_INFINITY): FrameQueue =>
  turns(arrivals, Math.max(1, frames), (first) => first + delay_us);

const SHARES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999 };

/** Percentiles and mean of waits, of the packets from one place to another. */
export function waitsOf(
  arrivals: Float64Array,
  told: Float64Array,
  places: (t_us: number) => readonly [number, number],
): Record<string, (t_us: number) => number> {
  const waits = told.map((t, k) => t - arrivals[k]);
  const summed = sums(waits);
  const at = (share: number) => (t_us: number) => quantile(waits.subarray(...places(t_us)), share);
  return {
    added_latency_us: (t_us) => {
      const [from, to] = places(t_us);
      return (summed[to] - summed[from]) / (to - from);
    },
    ...Object.fromEntries(Object.entries(SHARES).map(([name, share]) => [`added_latency_${name}_us`, at(share)])),
  };
}

/** Counts over whole turns: from the first interrupt to the last one. */
export function countsOf({ arrivals, told, raised, upTo }: FrameQueue, queues = 1): Replay['counted'] {
  const whole = (t_us: number): number => until(raised, t_us);
  const share = (value: (turns: number, packets: number, span_us: number) => number) => (t_us: number) => {
    const n = whole(t_us);
    return n < 2 ? Number.NaN : value(n - 1, upTo[n] - upTo[1], raised[n - 1] - raised[0]);
  };
  return {
    packets_per_interrupt: share((n, packets) => packets / n),
    rx_interrupt_rate_hz: share((n, _, span) => (1e6 * queues * n) / span),
    interrupt_gap_us: share((n, _, span) => span / n),
    ...waitsOf(arrivals, told, (t_us) => {
      const n = whole(t_us);
      return n < 2 ? [0, 0] : [upTo[1], upTo[n]];
    }),
  };
}

export const packetsLane = (arrivals: Float64Array, told: Float64Array): Lane => ({
  title: 'Packets',
  now: (t) => `${counted(until(arrivals, t) - until(told, t), 'packet')} waiting; what is slanted waits`,
  waits: { from_us: arrivals, to_us: told },
});

export function interruptsLane(raised: readonly number[], brought: (k: number) => number): Lane {
  return {
    title: 'Interrupts',
    now: (t) => {
      const n = until(raised, t);
      return n === 0 ? 'none yet' : `number ${decimal(n, 0)} brought ${brought(n - 1)}`;
    },
    marks: { t_us: raised, label: (k) => String(brought(k)) },
  };
}

export const arrivalEvents = (arrivals: Float64Array): readonly Event[] =>
  Array.from(arrivals, (t_us, k) => ({ t_us, words: () => `Packet ${decimal(k + 1, 0)} arrives` }));

interface Timing {
  readonly title: string;
  /** When the timer of a turn starts, and when it is due. */
  timer(turns: FrameQueue, k: number): readonly [number, number];
}

const THROTTLE = (delay_us: number): Timing => ({
  title: 'Throttle',
  timer: ({ raised }, k) => [raised[k], raised[k] + delay_us],
});

const TIMER: Timing = {
  title: 'Timer',
  timer: ({ arrivals, raised, upTo }, k) => [arrivals[upTo[k]], raised[k]],
};

function replayOf(played: FrameQueue, { title, timer }: Timing, queues: number, span_us: number): Replay {
  const { arrivals, told, raised, upTo } = played;
  const brought = (k: number): number => upTo[k + 1] - upTo[k];
  const bars = raised.map((_, k) => {
    const [start_us, end_us] = timer(played, k);
    return { start_us, end_us, tone: 'idle' as const };
  });
  const starts = bars.map((bar) => bar.start_us);
  return {
    until_us: raised[raised.length - 1],
    span_us,
    lanes: [
      packetsLane(arrivals, told),
      {
        title,
        now: (t) => {
          const left = (bars[until(starts, t) - 1]?.end_us ?? t) - t;
          return left > 0 ? `${decimal(left, 1)} µs left` : 'not running';
        },
        bars,
      },
      interruptsLane(raised, brought),
    ],
    events: inOrder(
      arrivalEvents(arrivals),
      raised.map((t_us, k) => ({
        t_us,
        words: () => `Interrupt ${decimal(k + 1, 0)}, for ${counted(brought(k), 'packet')}`,
      })),
    ),
    counted: countsOf(played, queues),
  };
}

/** Mean distance of the packets of one queue [µs]. */
export const gapOf = (v: Numbers): number => (1e6 * v.queues) / v.packet_rate_hz;

const spanOf = (delay_us: number, gap_us: number): number => 4 * (delay_us + Math.min(gap_us, 400)) + 6 * gap_us;

/** Slots of a link: the time from one full frame to the next [µs]. */
export const frameGap = (v: Numbers): number => (8 * (v.mtu_bytes + 38)) / v.link_rate_mbps;

const ranges = {
  delay_us: [0, 500, 1],
  packet_rate_hz: [1000, 1_000_000, 1000],
  queues: [1, 16, 1],
} as const;
const start = { delay_us: 50, packet_rate_hz: 80_000 };

function ofPoisson(play: (arrivals: Float64Array, v: Numbers) => FrameQueue, timing: (v: Numbers) => Timing) {
  return {
    counts: 'packets' as const,
    many: (v: Numbers) => enough(1 + v.delay_us / gapOf(v)),
    play: (v: Numbers, random: Random, many: number) =>
      replayOf(play(atRandom(random, gapOf(v), many), v), timing(v), v.queues, spanOf(v.delay_us, gapOf(v))),
  };
}

export const RULES_OF_TURNS: readonly Rule[] = [
  {
    model: 'throttle-poisson',
    story:
      'Packets come at random. After an interrupt none comes for the delay; what arrives meanwhile waits for its end, and a packet that comes later interrupts at once and waits for nothing.',
    start,
    ranges,
    ...ofPoisson(
      (arrivals, v) => throttled(arrivals, v.delay_us),
      (v) => THROTTLE(v.delay_us),
    ),
  },
  {
    model: 'first-packet-timer-poisson',
    story:
      'Packets come at random. The first one starts the timer and waits for all of it; those that follow share its interrupt and wait for what is left. Then nothing runs until the next packet comes.',
    start,
    ranges,
    ...ofPoisson(
      (arrivals, v) => gathered(arrivals, v.delay_us),
      () => TIMER,
    ),
  },
  {
    model: 'usecs-or-frames-poisson',
    story:
      'Packets come at random. The first one starts the timer, and the last of so many frames ends it early: rx-usecs and rx-frames, whichever comes first.',
    start: { ...start, rx_frames: 4 },
    ranges: { ...ranges, rx_frames: [1, 256, 1] },
    ...ofPoisson(
      (arrivals, v) => gathered(arrivals, v.delay_us, v.rx_frames),
      () => TIMER,
    ),
  },
  {
    model: 'usecs-or-frames-back-to-back',
    story:
      'Full frames back to back. Either as many as the count fit into the delay, and the last of them interrupts, or the timer ends first: every turn is the same.',
    start: { delay_us: 20, mtu_bytes: 1500, rx_frames: 64, link_rate_mbps: 25_000 },
    ranges: { delay_us: [0, 500, 0.1], mtu_bytes: [576, 9000, 1], link_rate_mbps: [1000, 800_000, 1000] },
    counts: 'packets',
    many: () => 20_000,
    play: (v, _, many) => {
      const gap = frameGap(v);
      // multiplied, not added up: rounding must not grow with the number of packets
      const arrivals = Float64Array.from({ length: many }, (__, k) => (k + 1) * gap);
      return replayOf(gathered(arrivals, v.delay_us, v.rx_frames), TIMER, 1, spanOf(v.delay_us, gap));
    },
  },
];
