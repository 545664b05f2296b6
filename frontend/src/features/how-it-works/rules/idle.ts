// SPDX-License-Identifier: Apache-2.0
// A CPU, and a link, that sleep between the interrupts of a throttle, as `idle_states.py` of the models defines them.
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
  type Step,
  sums,
  until,
} from './rule';
import { arrivalEvents, frameGap, interruptsLane, packetsLane } from './turns';

/** An interrupt: how long the CPU had been idle, and what it brought. */
interface Woken {
  readonly t_us: number;
  readonly idle_us: number;
  readonly packets: number;
  /** When the CPU is through. */
  readonly free_us: number;
}

/** A throttle whose interrupts are masked while the CPU is busy with one. */
export function woken(
  arrivals: Float64Array,
  delay_us: number,
  busy: (idle_us: number, packets: number) => number,
): { readonly wakings: readonly Woken[]; readonly told: Float64Array } {
  const told = new Float64Array(arrivals.length);
  const wakings: Woken[] = [];
  let free_us = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < arrivals.length; ) {
    const t_us = Math.max(arrivals[k], last + delay_us, free_us);
    const end = until(arrivals, t_us);
    told.fill(t_us, k, end);
    const idle_us = t_us - free_us;
    free_us = t_us + busy(idle_us, end - k);
    wakings.push({ t_us, idle_us, packets: end - k, free_us });
    last = t_us;
    k = end;
  }
  return { wakings, told };
}

/** Means over all interrupts but the first. */
function meanOf(wakings: readonly Woken[], times: readonly number[], value: (w: Woken, k: number) => number) {
  const summed = sums(wakings.map(value));
  return (t: number): number => {
    const n = until(times, t);
    return n < 2 ? Number.NaN : (summed[n] - summed[1]) / (n - 1);
  };
}

function rateOf(times: readonly number[]) {
  return (t: number): number => {
    const n = until(times, t);
    return n < 2 ? Number.NaN : (1e6 * (n - 1)) / (times[n - 1] - times[0]);
  };
}

function cpuLane(wakings: readonly Woken[], deep: (w: Woken) => boolean, exit: (w: Woken) => number): Lane {
  const bars = wakings.flatMap((w): Bar[] => [
    { start_us: w.t_us - w.idle_us, end_us: w.t_us, tone: deep(w) ? 'sleep' : 'idle' },
    { start_us: w.t_us, end_us: w.t_us + exit(w), tone: 'packet' },
    { start_us: w.t_us + exit(w), end_us: w.free_us, tone: 'interrupt' },
  ]);
  const starts = bars.map((bar) => bar.start_us);
  const words = { sleep: 'sleeps deep', idle: 'sleeps lightly', packet: 'wakes up', interrupt: 'at work' };
  return { title: 'CPU', now: (t) => words[bars[until(starts, t) - 1]?.tone ?? 'idle'], bars };
}

function wakingUp(v: Numbers, random: Random, many: number): Replay {
  const arrivals = atRandom(random, 1e6 / v.packet_rate_hz, many);
  const isDeep = (idle: number): boolean => idle > v.deep_residency_us;
  const exit = (idle: number): number => (isDeep(idle) ? v.deep_exit_us : v.shallow_exit_us);
  const { wakings, told } = woken(arrivals, v.delay_us, (idle) => exit(idle) + v.interrupt_cost_us);
  const times = wakings.map((w) => w.t_us);
  // what the link last carried: a packet that had to wait, or the last interrupt
  const carried: number[] = [];
  let place = 0;
  wakings.forEach((w, k) => {
    let last = k > 0 ? times[k - 1] : Number.NEGATIVE_INFINITY;
    for (const end = place + w.packets; place < end; place++)
      if (arrivals[place] < w.t_us) last = Math.max(last, arrivals[place]);
    carried.push(last);
  });
  const asleep = wakings.map((w, k) => w.t_us - carried[k] > v.link_idle_us);
  const latency = (w: Woken, k: number): number => exit(w.idle_us) + (asleep[k] ? v.link_exit_us : 0);
  const naps = wakings.flatMap((w, k): Bar[] =>
    asleep[k] && carried[k] >= 0 ? [{ start_us: carried[k] + v.link_idle_us, end_us: w.t_us, tone: 'sleep' }] : [],
  );
  return {
    until_us: times[times.length - 1],
    span_us: 5 * Math.max(v.delay_us, 1e6 / v.packet_rate_hz, 2 * v.deep_exit_us),
    lanes: [
      packetsLane(arrivals, told),
      interruptsLane(times, (k) => wakings[k].packets),
      cpuLane(
        wakings,
        (w) => isDeep(w.idle_us),
        (w) => exit(w.idle_us),
      ),
      {
        title: 'Link',
        now: (t) => (naps.some((nap) => nap.start_us <= t && t < nap.end_us) ? 'asleep' : 'awake'),
        bars: naps,
      },
    ],
    events: inOrder(
      arrivalEvents(arrivals),
      wakings.map(
        (w, k): Event => ({
          t_us: w.t_us,
          words: () =>
            `Interrupt ${decimal(k + 1, 0)} waits ${decimal(latency(w, k), 1)} µs: the CPU slept ${isDeep(w.idle_us) ? 'deep' : 'lightly'}, the link was ${asleep[k] ? 'asleep' : 'awake'}`,
        }),
      ),
    ),
    counted: {
      wake_latency_us: meanOf(wakings, times, latency),
      longest_wake_latency_us: () => v.deep_exit_us + v.link_exit_us,
      deep_wake_percent: meanOf(wakings, times, (w) => 100 * Number(isDeep(w.idle_us))),
      link_wake_percent: meanOf(wakings, times, (_, k) => 100 * Number(asleep[k])),
      rx_interrupt_rate_hz: rateOf(times),
    },
  };
}

function energy(v: Numbers, random: Random, many: number): Replay {
  const gap = frameGap({ ...v, link_rate_mbps: v.link_rate_mbps * v.link_load });
  const arrivals = atRandom(random, gap, many);
  const work = (packets: number): number => v.interrupt_cost_us + v.packet_cost_us * packets;
  const { wakings, told } = woken(arrivals, v.delay_us, (_, packets) => work(packets));
  const times = wakings.map((w) => w.t_us);
  const isDeep = (w: Woken): boolean => w.idle_us > v.deep_residency_us;
  // entering and leaving the deep state costs what its target residency says
  const entering = (v.shallow_power_w - v.deep_power_w) * v.deep_residency_us;
  const idle = (w: Woken): number =>
    isDeep(w) ? v.deep_power_w * w.idle_us + entering : v.shallow_power_w * w.idle_us;
  const joules = meanOf(wakings, times, (w) => idle(w) + v.active_power_w * work(w.packets));
  const spent = meanOf(wakings, times, (w) => w.idle_us + work(w.packets));
  const working = meanOf(wakings, times, (w) => work(w.packets));
  const sleeping = meanOf(wakings, times, (w) => (isDeep(w) ? w.idle_us : 0));
  const packets = meanOf(wakings, times, (w) => w.packets);
  const power = (t: number): number => v.other_power_w + joules(t) / spent(t);
  const perPacket = (t: number): number => (power(t) * spent(t)) / packets(t);
  const watts = wakings.flatMap((w): Step[] => [
    { t_us: w.t_us - w.idle_us, value: v.other_power_w + (isDeep(w) ? v.deep_power_w : v.shallow_power_w) },
    { t_us: w.t_us, value: v.other_power_w + v.active_power_w },
  ]);
  const changes = watts.map((step) => step.t_us);
  return {
    until_us: times[times.length - 1],
    span_us: 5 * Math.max(v.delay_us, 3 * gap, v.deep_residency_us),
    lanes: [
      packetsLane(arrivals, told),
      interruptsLane(times, (k) => wakings[k].packets),
      cpuLane(wakings, isDeep, () => 0),
      {
        title: 'Power',
        now: (t) => `${decimal(watts[Math.max(0, until(changes, t) - 1)].value, 1)} W`,
        steps: watts,
      },
    ],
    events: inOrder(
      arrivalEvents(arrivals),
      wakings.map(
        (w, k): Event => ({
          t_us: w.t_us,
          words: () =>
            `Interrupt ${decimal(k + 1, 0)}, for ${counted(w.packets, 'packet')}, ends ${isDeep(w) ? 'deep' : 'light'} sleep of ${decimal(w.idle_us, 1)} µs`,
        }),
      ),
    ),
    counted: {
      energy_j_per_gb: (t) => (1e3 * perPacket(t)) / (v.mtu_bytes + 18),
      package_power_w: power,
      packet_energy_uj: perPacket,
      system_cpu_percent: (t) => (100 * working(t)) / spent(t),
      deep_idle_percent: (t) => (100 * sleeping(t)) / spent(t),
      rx_interrupt_rate_hz: rateOf(times),
    },
  };
}

export const RULES_OF_IDLE_STATES: readonly Rule[] = [
  {
    model: 'wake-up-latency',
    story:
      'Between interrupts the CPU sleeps, lightly or deep, and the link to the interface sleeps by itself. The interrupt that ends a sleep waits for both to wake up: a longer delay can make latency worse in this way, too.',
    start: { packet_rate_hz: 5000, delay_us: 100 },
    ranges: { packet_rate_hz: [200, 200_000, 100], delay_us: [0, 2000, 1] },
    counts: 'packets',
    many: (v) => enough(1 + 1e-6 * v.delay_us * v.packet_rate_hz),
    play: wakingUp,
  },
  {
    model: 'receive-energy',
    story:
      'The CPU draws one power at work and others asleep. Fewer interrupts are less work, and longer pauses are deep sleep, which saves energy from its residency on.',
    start: { delay_us: 300, mtu_bytes: 1500, deep_residency_us: 200 },
    ranges: {
      delay_us: [0, 2000, 1],
      mtu_bytes: [576, 9000, 1],
      link_rate_mbps: [100, 10_000, 100],
      interrupt_cost_us: [0, 20, 0.01],
    },
    counts: 'packets',
    many: (v) => enough(1 + v.delay_us / frameGap({ ...v, link_rate_mbps: v.link_rate_mbps * v.link_load })),
    play: energy,
  },
];
