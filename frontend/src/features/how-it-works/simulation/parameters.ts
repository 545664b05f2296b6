// SPDX-License-Identifier: Apache-2.0
// What is simulated: the parameters of the composed predictor under their own names, and what only a simulation can tell apart.

export const MODERATION = {
  everyPacket: 0,
  absoluteTimer: 1,
  packetTimer: 2,
  bothTimers: 3,
  throttle: 4,
  leadingEdge: 5,
} as const;

export const SPACINGS = ['even', 'random', 'bursts'] as const;
export type Spacing = (typeof SPACINGS)[number];

export interface Parameters {
  readonly mtu_bytes: number;
  readonly delay_us: number;
  readonly moderation_kind: number;
  readonly packet_delay_us: number;
  /** Link-level rate that is sent [10⁶ bit/s]. */
  readonly offered_mbps: number;
  readonly link_rate_mbps: number;
  readonly byte_cost_ns: number;
  readonly packet_cost_us: number;
  readonly interrupt_cost_us: number;
  readonly system_call_cost_us: number;
  readonly ring_descriptors: number;
  /** Packets that a poll takes at most; 0: no polling, each interrupt empties the ring into a queue. */
  readonly napi_weight: number;
  /** CPU time of a poll besides its packets [µs]. */
  readonly poll_cost_us: number;
  readonly spacing: Spacing;
  /** Frames that come back to back, where they come in bursts. */
  readonly burst_packets: number;
  readonly seed: number;
}

/** Frame header and check sequence; with preamble and gap: `link.py` of the models. */
export const FRAME_OVERHEAD_BYTES = 18;
const WIRE_OVERHEAD_BYTES = 38;

/** How long a frame has the wire, with the preamble and the gap before it [µs]. */
export const wireTime = (p: Pick<Parameters, 'mtu_bytes' | 'link_rate_mbps'>): number =>
  (8 * (p.mtu_bytes + WIRE_OVERHEAD_BYTES)) / p.link_rate_mbps;

/** The part of that in which the frame itself is received [µs]. */
export const frameTime = (p: Pick<Parameters, 'mtu_bytes' | 'link_rate_mbps'>): number =>
  (8 * (p.mtu_bytes + FRAME_OVERHEAD_BYTES)) / p.link_rate_mbps;

/** Mean time from one packet to the next [µs]. */
export const meanGap = (p: Parameters): number =>
  Math.max(wireTime(p), (8 * (p.mtu_bytes + FRAME_OVERHEAD_BYTES)) / p.offered_mbps);

/** CPU time that a packet takes before an application sees it [µs]. */
export const packetTime = (p: Parameters): number =>
  1e-3 * p.byte_cost_ns * (p.mtu_bytes + FRAME_OVERHEAD_BYTES) + p.packet_cost_us;
