// SPDX-License-Identifier: Apache-2.0
// Packets of an interrupt merged by connection before the stack sees them, as `merging.py` of the models defines it.
import { decimal } from '../../../plots/number';
import {
  atRandom,
  counted,
  enough,
  inOrder,
  type Numbers,
  type Random,
  type Replay,
  type Rule,
  sums,
  until,
} from './rule';
import { arrivalEvents, frameGap, gathered, interruptsLane, packetsLane } from './turns';

/** Headers of a TCP segment with timestamps. */
const HEADER_BYTES = 52;

/** How many full packets a segment holds that stays below so many bytes. */
function largestOf(v: Numbers): number {
  let fit = 1;
  while (fit < v.merge_packets && HEADER_BYTES + (fit + 1) * (v.mtu_bytes - HEADER_BYTES) < v.merge_bytes) fit++;
  return fit;
}

/** Segments of the packets of one interrupt, each of any connection. */
export function segmentsOf(random: Random, packets: number, connections: number, largest: number): number {
  const held = new Uint16Array(connections);
  let segments = 0;
  for (let k = 0; k < packets; k++) {
    const connection = Math.floor(random() * connections);
    if (held[connection] === 0 || held[connection] === largest) {
      segments++;
      held[connection] = 0;
    }
    held[connection]++;
  }
  return segments;
}

function play(v: Numbers, random: Random, many: number): Replay {
  const gap = frameGap({ ...v, link_rate_mbps: v.link_rate_mbps * v.link_load });
  const { arrivals, told, raised, upTo } = gathered(atRandom(random, gap, many), v.delay_us);
  const largest = largestOf(v);
  const brought = (k: number): number => upTo[k + 1] - upTo[k];
  const segments = raised.map((_, k) => segmentsOf(random, brought(k), v.connections, largest));
  const merged = sums(segments);
  const ratio = (value: (packets: number, segments: number, turns: number) => number) => (t: number) => {
    const n = until(raised, t);
    return n === 0 ? Number.NaN : value(upTo[n], merged[n], n);
  };
  const seconds = ratio(
    (packets, many, turns) =>
      v.byte_cost_ns +
      (1e3 * (v.packet_cost_us + (v.segment_cost_us * many + v.interrupt_cost_us * turns) / packets)) / v.mtu_bytes,
  );
  return {
    until_us: raised[raised.length - 1],
    span_us: 4 * (v.delay_us + 4 * gap),
    lanes: [
      packetsLane(arrivals, told),
      {
        title: 'Timer',
        now: () => 'starts with the first packet',
        bars: raised.map((end_us, k) => ({ start_us: arrivals[upTo[k]], end_us, tone: 'idle' })),
      },
      interruptsLane(raised, brought),
      {
        title: 'Segments',
        now: (t) => {
          const n = until(raised, t);
          return n === 0 ? 'none yet' : `${counted(brought(n - 1), 'packet')} became ${segments[n - 1]}`;
        },
        marks: { t_us: raised, label: (k) => String(segments[k]) },
      },
    ],
    events: inOrder(
      arrivalEvents(arrivals),
      raised.map((t_us, k) => ({
        t_us,
        words: () =>
          `Interrupt ${decimal(k + 1, 0)}: ${counted(brought(k), 'packet')} become ${counted(segments[k], 'segment')}`,
      })),
    ),
    counted: {
      system_cpu_s_per_gb: seconds,
      cpu_limited_throughput_mbps: (t) => 8e3 / seconds(t),
      packets_per_segment: ratio((packets, many) => packets / many),
      packets_per_interrupt: ratio((packets, _, turns) => packets / turns),
      largest_segment_packets: () => largest,
    },
  };
}

export const MERGING: Rule = {
  model: 'receive-merging',
  story:
    'A timer gathers packets of several connections, and those of one connection become one segment before the protocols see them. The more packets an interrupt brings, and the fewer connections they are of, the fewer segments.',
  start: { delay_us: 30, mtu_bytes: 1500 },
  ranges: { delay_us: [0, 200, 1], mtu_bytes: [576, 9000, 1], link_rate_mbps: [100, 100_000, 100] },
  counts: 'packets',
  many: (v) => enough(1 + v.delay_us / frameGap({ ...v, link_rate_mbps: v.link_rate_mbps * v.link_load })),
  play,
};
