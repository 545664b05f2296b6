// SPDX-License-Identifier: Apache-2.0
import type { Axis, Document, Figure, LinesPanel, ModelUse, Parameters } from '../definition';
import { assumed, dataLink, modelLink, printed, published, tuned } from './parts';

// ---- Ronciak et al. 2005 -----------------------------------------------------------------------

const POLLING: Parameters = {
  link_load: assumed(1),
  packet_cost_us: assumed(1.5),
  interrupt_cost_us: assumed(3),
  poll_cost_us: assumed(1),
  queues: assumed(1),
  ring_descriptors: assumed(256, 'the driver’s default'),
  link_rate_mbps: printed(1000),
};
const napi = (output: string, set: Parameters, times = 1): ModelUse => ({
  model: 'napi-receive',
  output,
  set: { ...POLLING, ...set },
  times,
});
const FRAME: Parameters = { frame_bytes: printed(1518, 'full frames of MTU 1500') };
const WEIGHT = { napi_weight: { of: 'weight' } } as const;

const ronciakFigures: readonly Figure[] = [
  {
    id: 'ronciak-2005-figure-2',
    document: 'ronciak-2005',
    label: 'Figure 2',
    title: 'Three frame sizes through one polling driver',
    panels: [
      {
        form: 'bars',
        title: 'Throughput',
        x: { label: 'Frame size', unit: 'bytes' },
        y: { label: 'Link-level throughput', unit: 'Mb/s', spacing: 'linear', domain: [0, 1100] },
        bars: {
          model: napi('throughput_mbps', { napi_weight: printed(64, 'the default weight') }),
          along: 'frame_bytes',
          at: [256, 1518, 9018],
        },
      },
      {
        form: 'bars',
        title: 'CPU',
        x: { label: 'Frame size', unit: 'bytes' },
        y: { label: 'System CPU', unit: '% of one CPU', spacing: 'linear', domain: [0, 110] },
        bars: {
          model: napi('system_cpu_percent', { napi_weight: printed(64, 'the default weight') }),
          along: 'frame_bytes',
          at: [256, 1518, 9018],
        },
      },
    ],
    verdict:
      'That the frame size decides throughput and CPU is the model’s message as it is the study’s. Nothing can be compared in numbers: the costs are assumed, and the chart has none.',
    checks: [],
    missing:
      'The chart’s values were not printed, nor were those of the competing adapter, of which no model knows anything.',
    open: [modelLink('The model', 'napi-receive', { measure: 'throughput_mbps' })],
  },
  {
    id: 'ronciak-2005-figure-4',
    document: 'ronciak-2005',
    label: 'Figure 4',
    title: 'The weight of a poll: drops at 64, none at 32, best at 16 and below',
    panels: [
      {
        form: 'table',
        rows: [
          { weight: 64, says: 'drops' },
          { weight: 32, says: 'no drops' },
          { weight: 16, says: 'still more throughput' },
        ],
        columns: [
          { label: 'NAPI weight', unit: 'packets', kind: 'setting', value: { term: { of: 'weight' } }, digits: 0 },
          { label: 'The study says', kind: 'published', value: { text: 'says' } },
          {
            label: 'Throughput',
            unit: 'Mb/s',
            kind: 'model',
            digits: 0,
            value: { use: napi('throughput_mbps', FRAME), inputs: WEIGHT },
          },
          {
            label: 'Dropped',
            unit: '%',
            kind: 'model',
            digits: 0,
            value: { use: napi('drop_percent', FRAME), inputs: WEIGHT },
          },
          {
            label: 'Ring lasts',
            unit: 'ms',
            kind: 'model',
            digits: 1,
            value: { use: napi('ring_slack_us', FRAME, 1e-3), inputs: WEIGHT },
          },
        ],
      },
    ],
    verdict:
      'The direction agrees: a smaller weight gives descriptors back sooner, and the ring lasts longer. Drops do not follow from the poll alone; the study puts them down to delays in the rest of the stack, which the model does not hold.',
    checks: [],
    missing: 'Throughputs and drop counts were charted without numbers.',
    open: [modelLink('The model', 'napi-receive', { measure: 'ring_slack_us' })],
  },
];

export const ronciak: Document = {
  id: 'ronciak-2005',
  short: 'Ronciak et al. 2005',
  citation:
    'J. Ronciak, J. Brandeburg, G. Venkatesan, M. Williams. Networking Driver Performance and Measurement: e1000, a Case Study. Linux Symposium 2005.',
  about:
    'One driver through its versions, on several kernels, with frame sizes and NAPI weights. Charts without numbers.',
  figures: ronciakFigures,
  absent: [
    'Figure 1 compares versions of the driver and figure 3 versions of the kernel: charts without printed numbers, and no model has a version as an input.',
  ],
};

// ---- Dillon 2004 -------------------------------------------------------------------------------

const BOUND: Axis = {
  label: 'Bound on interrupts',
  unit: 'per second',
  spacing: 'log',
  domain: [5000, 130_000],
  ticks: [8000, 10_000, 20_000, 30_000, 100_000],
};
const BY_TWO = 'by the idle times at 8000 and 20 000';
const MODERATION: Parameters = {
  link_load: printed(0.7, 'iperf near 700 Mb/s'),
  interrupt_cost_us: tuned(25.8, BY_TWO),
  packet_cost_us: tuned(2.32, BY_TWO),
  base_latency_us: printed(57, 'ping without a bound'),
  moderated_hosts: printed(2, 'set on both'),
  latency_share: assumed(0.5, 'a lone packet waits for half of the interval'),
  ring_descriptors: printed(256),
  flow_control: printed(1),
  link_rate_mbps: printed(1000),
};
const HERTZ = { over: ['delay_us'], times: 1e6 } as const;

const trade = (
  output: string,
  measure: string,
  workload: string,
  y: Axis,
  frame: number,
  more: LinesPanel['sources'] = [],
): LinesPanel => ({
  form: 'lines',
  x: BOUND,
  y,
  lines: [{ id: 'all', label: '', tone: 3 }],
  sources: [
    {
      from: 'model',
      model: 'moderation-trade',
      output,
      set: MODERATION,
      along: 'moderation_rate_hz',
      per: { all: { frame_bytes: frame } },
    },
    ...more,
    { from: 'cells', cells: published('dillon-2004', { workload }), x: HERTZ, y: { of: measure }, line: 'all' },
  ],
});

const dillonFigures: readonly Figure[] = [
  {
    id: 'dillon-2004-ping',
    document: 'dillon-2004',
    label: 'Ping times',
    title: 'What a bound on interrupts adds to a ping',
    panels: [
      trade(
        'latency_us',
        'latency_us',
        'ping',
        { label: 'Round trip', unit: 'µs', spacing: 'linear', domain: [0, 400] },
        64,
        [
          {
            from: 'model',
            model: 'moderation-trade',
            output: 'latency_us',
            set: { ...MODERATION, latency_share: printed(1, 'the whole interval, as the message reckons') },
            along: 'moderation_rate_hz',
            per: { all: { frame_bytes: 64 } },
            second: 'the whole interval at each host',
          },
        ],
      ),
    ],
    verdict:
      'With half an interval of waiting at each host the ping at 8000 is met to 4 %; the one at 30 000 is overshot by 16 %. The whole interval of the message’s own reckoning is a worst case, dashed.',
    checks: [{ of: 'deviation' }],
    missing:
      'The message’s fourth value, 57 µs at “max”, has no number for its setting: it is the model’s starting point.',
    open: [
      dataLink('The published values', 'dillon-2004', { workload: 'ping', measure: 'latency_us' }),
      modelLink('The model', 'moderation-trade'),
    ],
  },
  {
    id: 'dillon-2004-idle',
    document: 'dillon-2004',
    label: 'Idle times',
    title: 'What a bound on interrupts leaves of the CPU',
    panels: [
      trade(
        'idle_cpu_percent',
        'idle_cpu_percent',
        'iperf',
        { label: 'Idle CPU', unit: '%', spacing: 'linear', domain: [0, 80] },
        1518,
      ),
    ],
    verdict:
      'Two costs, set by two of the five values, give the other three to 2.4 points: the saving is that of interrupts not taken.',
    checks: [{ of: 'deviation' }],
    missing: 'One run at each setting, so no intervals. Throughput is printed as about 700 Mb/s throughout.',
    open: [
      dataLink('The published values', 'dillon-2004', { workload: 'iperf', measure: 'idle_cpu_percent' }),
      modelLink('The model', 'moderation-trade', { measure: 'idle_cpu_percent' }),
    ],
  },
  {
    id: 'dillon-2004-ring',
    document: 'dillon-2004',
    label: 'Ring arithmetic',
    title: 'How many of the smallest frames wait between two interrupts',
    panels: [
      {
        form: 'table',
        rows: [
          { reading: '1.9 million frames per second, as he says', link: 1276.8, says: '244' },
          { reading: 'frames of 64 bytes back to back', link: 1312.5, says: '244' },
          { reading: 'with preamble and gap', link: 1000, says: '244' },
        ],
        columns: [
          { label: 'Reading', kind: 'setting', value: { text: 'reading' } },
          { label: 'The message says', unit: 'frames per interrupt', kind: 'published', value: { text: 'says' } },
          {
            label: 'Frames per interrupt',
            kind: 'model',
            digits: 1,
            value: {
              use: {
                model: 'moderation-trade',
                output: 'packets_per_interrupt',
                set: {
                  ...MODERATION,
                  link_load: printed(1),
                  moderation_rate_hz: printed(8000),
                  frame_bytes: printed(64),
                },
              },
              inputs: { link_rate_mbps: { of: 'link' } },
            },
          },
        ],
      },
    ],
    verdict:
      'His 244 is what 64-byte frames give without preamble and gap; his 1.9 million per second give 237.5, and the wire itself no more than 186. All three fit the ring of 256.',
    checks: [],
    missing: 'Nothing: the message is arithmetic here, not a measurement.',
    open: [modelLink('The model', 'moderation-trade', { measure: 'packets_per_interrupt' })],
  },
  {
    id: 'dillon-2004-streams',
    document: 'dillon-2004',
    label: 'Ten streams',
    title: 'How ten TCP streams share one link',
    panels: [
      {
        form: 'bars',
        x: { label: 'Stream, by iperf’s number', unit: '' },
        y: { label: 'TCP payload', unit: 'Mb/s', spacing: 'linear', domain: [0, 120] },
        bars: {
          cells: published('dillon-2004-streams'),
          name: { of: 'factor.stream' },
          value: { of: 'goodput_mbps' },
        },
      },
    ],
    verdict:
      'The message prints their sum as 889 Mb/s, of the 941 that a gigabit link carries in full segments with timestamps. How streams share is in none of the models.',
    checks: [],
    missing: 'One run of ten seconds; no model draws here, as none has fairness among streams.',
    open: [
      dataLink('The published values', 'dillon-2004-streams'),
      modelLink('The link’s bound', 'link-bound', { measure: 'goodput_mbps' }),
    ],
  },
];

export const dillon: Document = {
  id: 'dillon-2004',
  short: 'Dillon 2004',
  citation:
    'M. Dillon. “serious networking (em) performance (ggate and NFS) problem”, message to freebsd-stable, 21 November 2004.',
  about:
    'A message with two tables, one calculation and ten streams, on what a bound on the interrupt rate costs and saves.',
  figures: dillonFigures,
  absent: [],
};
