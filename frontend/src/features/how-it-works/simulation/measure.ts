// SPDX-License-Identifier: Apache-2.0
// What has been counted so far, under the names of the glossary.
import { type Simulation, upTo } from './record';

export const COUNTED = [
  'packets_per_interrupt',
  'rx_interrupt_rate_hz',
  'added_latency_us',
  'system_cpu_percent',
  'drop_percent',
] as const;
export type Counted = Readonly<Record<(typeof COUNTED)[number], number>>;

/** Running sums over a simulation, so that any moment can be asked for. */
export interface Counters {
  /** What was counted until `t`; NaN where nothing can be said yet. */
  at(t: number): Counted;
}

function running(values: Iterable<number>): number[] {
  const sums = [0];
  for (const value of values) sums.push(sums[sums.length - 1] + value);
  return sums;
}

/**
 * Counts from the first interrupt to the last one, whole turns; to the moment itself where interrupts have stayed away for long, as they
 * do when polls never end.
 */
export function countersOf({ packets, interrupts, works }: Simulation): Counters {
  // packets are announced in the order in which they came, except those that were lost in the ring
  const announced = packets.filter((p) => !Number.isNaN(p.announced_us));
  const lost = packets.filter((p) => p.lost !== null).sort((a, b) => a.lost_us - b.lost_us);
  const waits = running(announced.map((p) => p.announced_us - p.end_us));
  const busy = running(works.map((w) => w.end_us - w.start_us));
  const busyUntil = (t: number): number => {
    const n = upTo(works, (w) => w.start_us, t);
    const over = n > 0 ? Math.max(0, works[n - 1].end_us - t) : 0;
    return busy[n] - over;
  };
  return {
    at(t) {
      const raised = upTo(interrupts, (i) => i.raised_us, t);
      const from = interrupts[0]?.raised_us ?? Number.NaN;
      const last = interrupts[raised - 1]?.raised_us ?? Number.NaN;
      const silent = t - last > last - from;
      const to = silent ? t : last;
      const span = to - from;
      const between = (at: (t: number) => number): number => at(to) - at(from);
      const told = (u: number): number => upTo(announced, (p) => p.announced_us, u);
      const brought = between(told);
      const arrived = between((u) => upTo(packets, (p) => p.end_us, u));
      const known = raised > 1 && span > 0;
      const or = (value: number): number => (known && Number.isFinite(value) ? value : Number.NaN);
      return {
        packets_per_interrupt: or(brought / (raised - 1)),
        rx_interrupt_rate_hz: or((1e6 * (raised - 1)) / span),
        added_latency_us: or((waits[told(to)] - waits[told(from)]) / brought),
        system_cpu_percent: or((100 * between(busyUntil)) / span),
        drop_percent: or((100 * between((u) => upTo(lost, (p) => p.lost_us, u))) / arrived),
      };
    },
  };
}
