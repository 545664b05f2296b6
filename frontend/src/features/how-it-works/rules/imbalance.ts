// SPDX-License-Identifier: Apache-2.0
// Flows hashed onto receive queues one by one, as `queue_imbalance.py` of the models defines it.
import { decimal } from '../../../plots/number';
import { counted, type Lane, type Numbers, type Random, type Replay, type Rule, sums } from './rule';

/** The picture has another hash key after this long. */
const DRAW_US = 10;
const SHOWN = 8;

/** Flows in each queue: the hash picks an entry of the table, which holds queues in turn. */
function hashed(random: Random, flows: number, queues: number, entries: number): Uint16Array {
  const found = new Uint16Array(queues);
  for (let k = 0; k < flows; k++) found[Math.floor(random() * entries) % queues]++;
  return found;
}

function play(v: Numbers, random: Random, many: number): Replay {
  const draws = Array.from({ length: many }, () => hashed(random, v.streams, v.queues, v.table_entries));
  const most = draws.map((loads) => Math.max(...loads));
  const bits = 8 * (v.mtu_bytes + 18);
  const cost = 1e-3 * v.byte_cost_ns * (v.mtu_bytes + 18) + v.packet_cost_us;
  const link = (v.link_rate_mbps * (v.mtu_bytes + 18)) / (v.mtu_bytes + 38);
  const byCpu = most.map((n) => (bits * v.streams) / (n * cost));
  const mean = (values: readonly number[]) => {
    const summed = sums(values);
    return (t: number): number => {
      const n = Math.min(many, Math.floor(t / DRAW_US));
      return n === 0 ? Number.NaN : summed[n] / n;
    };
  };
  const share = mean(most.map((n) => n / v.streams));
  const through = byCpu.map((most) => Math.min(most, link));
  const at = (t: number): number => Math.min(many - 1, Math.floor(t / DRAW_US));
  const steps = (value: (k: number) => number) => draws.map((_, k) => ({ t_us: k * DRAW_US, value: value(k) }));
  const lanes: Lane[] = Array.from({ length: Math.min(SHOWN, v.queues) }, (_, q) => ({
    title: `Queue ${q + 1}`,
    now: (t) => counted(draws[at(t)][q], 'flow'),
    steps: steps((k) => draws[k][q]),
  }));
  lanes.push({
    title: `Busiest of ${v.queues}`,
    now: (t) => `${counted(most[at(t)], 'flow')}, where an even share is ${decimal(v.streams / v.queues, 1)}`,
    steps: steps((k) => most[k]),
  });
  const until_us = many * DRAW_US;
  return {
    until_us,
    span_us: 16 * DRAW_US,
    lanes,
    events: most.map((n, k) => ({
      t_us: k * DRAW_US,
      words: () => `Hash key ${decimal(k + 1, 0)}: ${counted(n, 'flow')} of ${v.streams} in the busiest queue`,
    })),
    counted: {
      throughput_mbps: mean(through),
      busiest_queue_percent: (t) => 100 * share(t),
      queue_imbalance: (t) => v.queues * share(t),
      cpu_limited_throughput_mbps: mean(byCpu),
      busiest_cpu_percent: mean(through.map((mbps, k) => (100 * mbps) / byCpu[k])),
    },
  };
}

export const IMBALANCE: Rule = {
  model: 'queue-imbalance',
  story: `Another hash key after each ${DRAW_US} µs: the same flows fall into other queues. The busiest one sets the throughput, and its share is seldom an even one.`,
  start: { streams: 16, mtu_bytes: 1500 },
  ranges: { streams: [1, 200, 1], mtu_bytes: [576, 9000, 1], queues: [1, 64, 1] },
  counts: 'draws',
  many: () => 5000,
  play,
};
