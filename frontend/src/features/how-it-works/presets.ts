// SPDX-License-Identifier: Apache-2.0
// Settings that tell the story, each with what to look for.
import { delayMicroseconds } from '../../state/layout';
import { MODERATION, type Parameters } from './simulation/parameters';

/** What a delay register is set to, in µs. */
const ticks = (count: number): number => delayMicroseconds('delay_ticks', count);

export const START: Parameters = {
  mtu_bytes: 1500,
  delay_us: ticks(40),
  moderation_kind: MODERATION.absoluteTimer,
  packet_delay_us: 1228.8,
  offered_mbps: 1000,
  link_rate_mbps: 1000,
  byte_cost_ns: 1.3,
  packet_cost_us: 3.7,
  interrupt_cost_us: 14.3,
  system_call_cost_us: 1,
  ring_descriptors: 256,
  napi_weight: 0,
  poll_cost_us: 1,
  spacing: 'even',
  burst_packets: 6,
  seed: 1,
};

interface Preset {
  readonly id: string;
  readonly title: string;
  readonly story: string;
  readonly set: Partial<Parameters>;
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'timer',
    title: 'A timer of 40 ticks',
    story:
      'The first packet starts the timer (40 ticks of 1.024 µs). Three more arrive while it runs and a fifth is under way when it ends: it is completed, then one interrupt brings all five.',
    set: {},
  },
  {
    id: 'none',
    title: 'No moderation',
    story:
      'One interrupt per frame. Nothing waits, but the CPU pays the full price of an interrupt for every packet: at 300 Mb/s half of its time is gone.',
    set: { moderation_kind: MODERATION.everyPacket, offered_mbps: 300 },
  },
  {
    id: 'livelock',
    title: 'Livelock',
    story:
      'The same at the full link: a frame every 12.3 µs, and an interrupt costs 14.3. Interrupts come before all else, so nothing else ever runs: the queue fills, its overflow is thrown away, and nothing is delivered.',
    set: { moderation_kind: MODERATION.everyPacket },
  },
  {
    id: 'polling',
    title: 'Polling instead',
    story:
      'NAPI at the same load. The first interrupt turns interrupts off; polls take what is there, up to 64 packets, and turn them on again only when a poll finds fewer. The harder the load, the fewer the interrupts.',
    set: { moderation_kind: MODERATION.everyPacket, napi_weight: 64 },
  },
  {
    id: 'two',
    title: 'Always two at 10 ticks',
    story:
      'A frame of MTU 6000 takes 48 µs, the timer only 10: yet the paper counted 2.000 packets per interrupt. The timer starts when the first has been received, and the one under way is completed.',
    set: { mtu_bytes: 6000, delay_us: ticks(10) },
  },
  {
    id: 'nfs',
    title: 'Geist’s NFS at 40',
    story:
      'Replies of 8 KB come as six frames back to back, 200 Mb/s of them, with the NFS costs of the paper. The timer sees the burst; the composed predictor knows the mean rate only and says 1.7 packets per interrupt. The paper counted 2.82, small packets included.',
    set: {
      offered_mbps: 200,
      spacing: 'bursts',
      byte_cost_ns: 8.13,
      packet_cost_us: 2.66,
      interrupt_cost_us: 11.1,
    },
  },
  {
    id: 'price',
    title: 'The latency price of 640',
    story:
      'A quiet link, packets at random, and a timer of 640 ticks: most packets are alone, and each waits 655 µs for company that does not come. Request and response traffic pays this in every round trip.',
    set: { delay_us: ticks(640), offered_mbps: 10, spacing: 'random' },
  },
];

export const settingsOf = (preset: Preset): Parameters => ({ ...START, ...preset.set });

/** The preset that these settings are, whatever the seed. */
export function presetOf(p: Parameters): Preset | null {
  const same = (preset: Preset): boolean => {
    const own = settingsOf(preset);
    return (Object.keys(own) as (keyof Parameters)[]).every((name) => name === 'seed' || own[name] === p[name]);
  };
  return PRESETS.find(same) ?? null;
}
