// SPDX-License-Identifier: Apache-2.0
// The simulation of "How it works": against Python's replays, against the models, and its own conservation laws.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { predictionOf } from '../../../src/features/how-it-works/prediction';
import { PRESETS, presetOf, START, settingsOf } from '../../../src/features/how-it-works/presets';
import { countersOf } from '../../../src/features/how-it-works/simulation/measure';
import {
  MODERATION,
  meanGap,
  type Parameters,
  SPACINGS,
} from '../../../src/features/how-it-works/simulation/parameters';
import { QUEUE_PACKETS, simulate } from '../../../src/features/how-it-works/simulation/simulate';
import { generator, pick } from '../../random';

interface Replay {
  readonly name: string;
  readonly moderation_kind: number;
  readonly delay_us: number;
  readonly arrivals_us: readonly number[];
  readonly interrupts: readonly (readonly [number, number])[];
  readonly mean_wait_us: number;
}

const REPLAYS: readonly Replay[] = JSON.parse(
  readFileSync(new URL('../../../../models/tests/phenomena/policies/replays.json', import.meta.url), 'utf8'),
);
const FREE = { byte_cost_ns: 0, packet_cost_us: 0, interrupt_cost_us: 0, system_call_cost_us: 0, poll_cost_us: 0 };
const LIGHT = { ...FREE, interrupt_cost_us: 0.5, packet_cost_us: 0.1 };

const long = (p: Parameters, packets = 4_000) => simulate(p, packets * meanGap(p));

describe('with Python', () => {
  it.each(REPLAYS.map((r) => [`${r.name}, kind ${r.moderation_kind}, ${r.delay_us} µs`, r] as const))(
    'agrees on every interrupt: %s',
    (_, replay) => {
      const { moderation_kind, delay_us, arrivals_us } = replay;
      const p = { ...START, ...FREE, moderation_kind, delay_us };
      const frames = arrivals_us.map((t) => ({ start_us: t, end_us: t }))[Symbol.iterator]();
      const { interrupts, packets } = simulate(p, 1e9, frames);
      expect(interrupts.map((i) => [i.raised_us, i.packets])).toEqual(replay.interrupts);
      // Python adds up by interrupt, so only the last digits may differ
      const wait = packets.reduce((sum, q) => sum + (q.announced_us - q.end_us), 0) / packets.length;
      expect(Math.abs(wait - replay.mean_wait_us)).toBeLessThanOrEqual(1e-12 * Math.max(1, replay.mean_wait_us));
    },
  );
});

describe('beside the models, packets evenly spaced', () => {
  const random = generator(20);
  const settings = Array.from({ length: 12 }, () => ({
    mtu_bytes: pick(random, [1500, 3000, 4500, 6000, 9000]),
    delay_us: pick(random, [0, 10.24, 40.96, 125, 163.84, 655.36, 983.04]),
    link_rate_mbps: pick(random, [1000, 2500, 10000]),
  }));
  it.each(settings)('the absolute timer gathers what its law says: %o', (set) => {
    const p = { ...START, ...LIGHT, ...set, offered_mbps: 10_000, ring_descriptors: 4096 };
    const counted = countersOf(long(p)).at(Number.POSITIVE_INFINITY).packets_per_interrupt;
    const law = predictionOf(catalogue, p).packets_per_interrupt;
    expect(law?.model).toBe('timer-packets-per-interrupt');
    expect(counted).toBe(law?.value);
  });

  it.each([
    [{ moderation_kind: MODERATION.everyPacket }, 1],
    [{ moderation_kind: MODERATION.throttle, delay_us: 125 }, 125 / 12.304],
    [{ moderation_kind: MODERATION.throttle, delay_us: 5 }, 1],
    [{ moderation_kind: MODERATION.leadingEdge, delay_us: 655.36 }, 655.36 / 12.304],
    [{ moderation_kind: MODERATION.throttle, delay_us: 655.36, offered_mbps: 300 }, 655.36 / ((1518 * 8) / 300)],
    [{ moderation_kind: MODERATION.packetTimer, packet_delay_us: 5 }, 1],
    [{ moderation_kind: MODERATION.packetTimer, ring_descriptors: 64 }, 64],
    [{ moderation_kind: MODERATION.bothTimers, packet_delay_us: 5 }, 1],
  ])('within 1 %% of the composed predictor: %o', (set, expected) => {
    const p = { ...START, ...LIGHT, ...set };
    const { at } = countersOf(long(p, 16_000));
    const counted = at(16_000 * meanGap(p));
    const predicted = predictionOf(catalogue, p);
    expect(predicted.packets_per_interrupt?.model).toBe('receive-open-loop');
    expect(Math.abs((predicted.packets_per_interrupt?.value ?? 0) / expected - 1)).toBeLessThan(1e-9);
    for (const name of ['packets_per_interrupt', 'rx_interrupt_rate_hz', 'system_cpu_percent'] as const)
      expect(Math.abs(counted[name] / (predicted[name]?.value ?? 0) - 1), name).toBeLessThan(0.01);
  });

  it('polling falls back to interrupts as its model says', () => {
    const p = settingsOf(PRESETS.find(({ id }) => id === 'polling') ?? PRESETS[0]);
    const counted = countersOf(long(p)).at(4_000 * meanGap(p));
    const predicted = predictionOf(catalogue, p);
    const { value = 0, model } = predicted.packets_per_interrupt ?? {};
    expect(model).toBe('napi-receive');
    // packets come whole: a turn that gathers 2.7 on average gathers three when they keep step
    expect(counted.packets_per_interrupt).toBeGreaterThanOrEqual(Math.floor(value));
    expect(counted.packets_per_interrupt).toBeLessThanOrEqual(Math.ceil(value));
    expect(Math.abs(counted.system_cpu_percent - (predicted.system_cpu_percent?.value ?? 0))).toBeLessThan(5);
  });

  it('a slower packet is not taken for a faster one: the test can fail', () => {
    const p = { ...START, ...LIGHT };
    const counted = countersOf(long(p)).at(Number.POSITIVE_INFINITY).packets_per_interrupt;
    const other = predictionOf(catalogue, { ...p, mtu_bytes: 3000 }).packets_per_interrupt?.value ?? 0;
    expect(Math.abs(counted / other - 1)).toBeGreaterThan(0.01);
  });
});

describe('at random', () => {
  it.each([
    [60, 0.1],
    [125, 0.1],
    [60, 0.2],
  ])('a throttle of %d µs at load %d is within 1 percent of its model', (delay_us, load) => {
    const set = { moderation_kind: MODERATION.throttle, spacing: 'random' as const };
    const p = { ...START, ...FREE, ...set, offered_mbps: 1000 * load, delay_us };
    const counted = countersOf(long(p, 100_000)).at(100_000 * meanGap(p));
    const predicted = predictionOf(catalogue, p);
    for (const name of ['packets_per_interrupt', 'rx_interrupt_rate_hz'] as const) {
      expect(predicted[name]?.model).toBe('throttle-poisson');
      expect(Math.abs(counted[name] / (predicted[name]?.value ?? 0) - 1), name).toBeLessThan(0.01);
    }
    // the mean rate alone, of evenly spaced packets, is further off: the test can fail
    const even = Math.max(1, delay_us / meanGap(p));
    if (delay_us < 100) expect(Math.abs(counted.packets_per_interrupt / even - 1)).toBeGreaterThan(0.01);
  });

  it.each([0.2, 0.5])('1 + T/gap, and the frame under way, at load %d', (load) => {
    const p = { ...START, ...LIGHT, spacing: 'random' as const, offered_mbps: 1000 * load, delay_us: 400 };
    const counted = countersOf(long(p, 30_000)).at(Number.POSITIVE_INFINITY).packets_per_interrupt;
    const mean = 1 + 400 / meanGap(p);
    expect(counted).toBeGreaterThan(mean * 0.99);
    expect(counted).toBeLessThan((mean + 1) * 1.01);
  });
});

function anyParameters(random: () => number): Parameters {
  const between = (lo: number, hi: number) => lo + (hi - lo) * random();
  return {
    mtu_bytes: Math.round(between(64, 9000)),
    delay_us: pick(random, [0, between(0, 2000)]),
    moderation_kind: Math.floor(6 * random()),
    packet_delay_us: between(0, 300),
    offered_mbps: between(1, 2000),
    link_rate_mbps: pick(random, [100, 1000, 10000]),
    byte_cost_ns: between(0, 5),
    packet_cost_us: between(0, 10),
    interrupt_cost_us: pick(random, [0, between(0, 40)]),
    system_call_cost_us: between(0, 5),
    ring_descriptors: pick(random, [64, 256]),
    napi_weight: pick(random, [0, 0, 1, 16, 64]),
    poll_cost_us: between(0, 3),
    spacing: pick(random, SPACINGS),
    burst_packets: Math.ceil(between(1, 40)),
    seed: Math.floor(1e6 * random()),
  };
}

describe('whatever is set', () => {
  const random = generator(8254);
  const cases = Array.from({ length: 120 }, () => anyParameters(random));
  const each = (count: number, check: (p: Parameters) => void) => {
    for (const p of cases.slice(0, count))
      try {
        check(p);
      } catch (error) {
        throw new Error(`with ${JSON.stringify(p)}`, { cause: error });
      }
  };

  it('packets are conserved and in order', () => {
    each(cases.length, (p) => {
      const until = 400 * meanGap(p);
      const { packets, interrupts, works, depths, happenings, countdowns } = simulate(p, until);
      const last = depths[depths.length - 1];
      const polled = happenings.filter((h) => h.what === 'lost').length;
      expect(packets.filter((q) => q.lost !== null)).toHaveLength(polled);
      for (const q of packets) {
        if (q.announced_us < q.end_us || q.delivered_us < q.announced_us) throw new Error(JSON.stringify(q));
        if (q.lost === 'ring') expect(q.announced_us).toBeNaN();
        if (q.lost !== null) expect(q.delivered_us).toBeNaN();
      }
      // received = delivered + lost + in the ring + in the queue + in the application's or an interrupt's hands
      const delivered = packets.filter((q) => !Number.isNaN(q.delivered_us)).length;
      const held = packets.length - delivered - polled - last.ring - last.queue;
      expect(held).toBeGreaterThanOrEqual(0);
      expect(held).toBeLessThanOrEqual(2 * (QUEUE_PACKETS + p.ring_descriptors));
      expect(interrupts.reduce((n, i) => n + i.packets, 0)).toBe(
        packets.filter((q) => !Number.isNaN(q.announced_us)).length,
      );
      for (const d of depths) if (d.ring > p.ring_descriptors || d.queue > QUEUE_PACKETS) throw new Error(String(d));
      // one CPU, one thing at a time
      for (let k = 1; k < works.length; k++) if (works[k].start_us < works[k - 1].end_us) throw new Error(`at ${k}`);
      for (const list of [happenings, depths] as readonly (readonly { readonly t_us: number }[])[])
        for (let k = 1; k < list.length; k++) if (list[k].t_us < list[k - 1].t_us) throw new Error(`at ${k}`);
      for (const c of countdowns) expect(c.start_us).toBeLessThanOrEqual(c.due_us);
    });
  });

  it('no interrupt comes sooner than its kind allows', () => {
    each(cases.length, (p) => {
      const { interrupts, packets } = simulate(p, 400 * meanGap(p));
      for (let k = 1; k < interrupts.length; k++) {
        const apart = interrupts[k].raised_us - interrupts[k - 1].raised_us;
        if (p.moderation_kind >= MODERATION.throttle) expect(apart).toBeGreaterThanOrEqual(p.delay_us * (1 - 1e-12));
      }
      if (p.moderation_kind === MODERATION.absoluteTimer && p.napi_weight === 0)
        for (const [k, i] of interrupts.entries()) {
          const first = packets.find((q) => q.interrupt === k);
          if (!first) continue;
          const early = i.raised_us - first.end_us < p.delay_us * (1 - 1e-9);
          // only the low-water mark, or a packet that came while the line was up
          if (early) expect(i.packets).toBeGreaterThanOrEqual(p.ring_descriptors);
        }
    });
  });

  it('a longer simulation begins with the shorter one', () => {
    each(30, (p) => {
      const [short, longer] = [simulate(p, 200 * meanGap(p)), simulate(p, 300 * meanGap(p))];
      expect(longer.happenings.slice(0, short.happenings.length)).toEqual(short.happenings);
      expect(simulate(p, 200 * meanGap(p))).toEqual(short);
    });
  });

  it('counters say what the record says', () => {
    each(cases.length, (p) => {
      const until = 400 * meanGap(p);
      const simulation = simulate(p, until);
      const counted = countersOf(simulation).at(until);
      if (Number.isNaN(counted.system_cpu_percent)) return;
      expect(counted.system_cpu_percent).toBeLessThanOrEqual(100 + 1e-6);
      expect(counted.drop_percent).toBeLessThanOrEqual(100 + 1e-9 + (100 * 300) / simulation.packets.length);
      expect(counted.added_latency_us).toBeGreaterThanOrEqual(0);
    });
  });
});

describe('the presets', () => {
  const counted = (id: string) => {
    const p = settingsOf(PRESETS.find((q) => q.id === id) ?? PRESETS[0]);
    return countersOf(long(p)).at(4_000 * meanGap(p));
  };
  it('tell what they say', () => {
    expect(counted('timer').packets_per_interrupt).toBe(5);
    expect(counted('none').packets_per_interrupt).toBe(1);
    expect(counted('none').system_cpu_percent).toBeCloseTo(51.9, 0);
    expect(counted('two').packets_per_interrupt).toBe(2);
    expect(counted('livelock').system_cpu_percent).toBeCloseTo(100, 6);
    expect(counted('livelock').drop_percent).toBeGreaterThan(90);
    expect(counted('polling').drop_percent).toBe(0);
    expect(counted('price').added_latency_us).toBeGreaterThan(500);
  });
  it('are recognised, with any seed', () => {
    for (const preset of PRESETS) expect(presetOf({ ...settingsOf(preset), seed: 7 })?.id).toBe(preset.id);
    expect(presetOf({ ...START, mtu_bytes: 1501 })).toBeNull();
  });
  it('deliver nothing in a livelock, once the queue is full', () => {
    const p = settingsOf(PRESETS.find(({ id }) => id === 'livelock') ?? PRESETS[0]);
    const { packets } = long(p, 2000);
    expect(packets.filter((q) => q.delivered_us > 0)).toHaveLength(0);
    expect(packets.some((q) => q.lost === 'queue')).toBe(true);
  });
});
