// SPDX-License-Identifier: Apache-2.0
import type { Axis, Document, Figure, Line, LinesPanel, ModelCurves, Parameters } from '../definition';
import { assumed, dataLink, modelLink, printed, published, tuned } from './parts';

const MTU: Axis = {
  label: 'MTU',
  unit: 'bytes',
  spacing: 'log',
  domain: [1400, 65_000],
  ticks: [1500, 4096, 8192, 16384, 32768, 58368],
};
const CPU = (who: string): Axis => ({
  label: `${who} CPU`,
  unit: '% of one CPU',
  spacing: 'linear',
  domain: [0, 108],
});

const TUNED_BY_INTEL = 'so that copying and checksums saturate the CPU near the printed 300 Mb/s';
const INTEL: Parameters = {
  copy_cost_ns: tuned(5, TUNED_BY_INTEL),
  checksum_cost_ns: tuned(3, TUNED_BY_INTEL),
  packet_cost_us: tuned(18, TUNED_BY_INTEL),
  interrupt_cost_us: tuned(10, TUNED_BY_INTEL),
  gathered_packets: assumed(1),
  sender_cost_ratio: assumed(0.6, 'fewer interrupts at the sender'),
  link_rate_mbps: assumed(1000),
  adapter_packet_rate_hz: assumed(1_000_000, 'not in the way'),
};
const BY_TWO = 'by the 90 % at MTU 1500 and “below 30 %” at 8 KB';
const MONET: Parameters = {
  ...INTEL,
  copy_cost_ns: tuned(4.4, BY_TWO),
  checksum_cost_ns: assumed(3, 'without effect: the adapter does it'),
  packet_cost_us: tuned(12, BY_TWO),
  interrupt_cost_us: tuned(8, BY_TWO),
  link_rate_mbps: tuned(958.3, 'so that 8 KB packets get the printed 956 Mb/s'),
  adapter_packet_rate_hz: printed(33_762, '410 Mb/s in frames of 1518 bytes'),
};
const BY_BX = 'by the printed 88 % and 48 %, the same bandwidth at both';
const BX: Parameters = {
  ...INTEL,
  copy_cost_ns: tuned(0.643, BY_BX),
  checksum_cost_ns: assumed(3, 'without effect: all bytes are in the cost of copying'),
  packet_cost_us: tuned(32.67, BY_BX),
  interrupt_cost_us: tuned(20, BY_BX),
};

const VARIANTS: readonly Line[] = [
  { id: 'both', label: 'copy, checksum', tone: 1 },
  { id: 'copy', label: 'copy, offload', tone: 2 },
  { id: 'checksum', label: 'zero-copy, checksum', tone: 3 },
  { id: 'neither', label: 'zero-copy, offload', tone: 5 },
];
const SWITCHES: ModelCurves['per'] = {
  both: { copies: 1, checksums: 1 },
  copy: { copies: 1, checksums: 0 },
  checksum: { copies: 0, checksums: 1 },
  neither: { copies: 0, checksums: 0 },
};
const MONET_LINES: readonly Line[] = [
  { id: 'copy', label: 'copy, offload', tone: 2 },
  { id: 'neither', label: 'zero-copy, offload', tone: 5 },
];

const model = (
  output: string,
  set: Parameters,
  per: ModelCurves['per'],
  domains: ModelCurves['domains'] = {},
): ModelCurves => ({
  from: 'model',
  model: 'end-system-costs',
  output,
  set,
  along: 'mtu_bytes',
  per,
  domains,
});
/** Page remapping needs whole pages: 4 KB on Intel, 8 KB on the Alphas. */
const PAGES = (bytes: number): ModelCurves['domains'] => ({
  checksum: [bytes, MTU.domain[1]],
  neither: [bytes, MTU.domain[1]],
});
const pick = (...ids: readonly string[]): ModelCurves['per'] => Object.fromEntries(ids.map((id) => [id, SWITCHES[id]]));

const DATA = 'chase-1999';
const at = (host: string, y: string, lines: Readonly<Record<string, string>>) =>
  ({
    from: 'cells',
    cells: published(DATA, { host }),
    x: { of: 'mtu_bytes' },
    y: { of: y },
    by: 'factor.options',
    lines,
  }) as const;

const receiver = (title: string, lines: readonly Line[], sources: LinesPanel['sources']): LinesPanel => ({
  form: 'lines',
  title,
  x: MTU,
  y: CPU('Receiver'),
  lines,
  sources,
});

const RECEIVER: Figure = {
  id: 'chase-1999-figure-3',
  document: 'chase-1999',
  label: 'Figure 3',
  title: 'What receiving costs as frames grow, with and without touching the data',
  panels: [
    receiver('Intel hosts', VARIANTS, [
      model('system_cpu_percent', INTEL, SWITCHES, PAGES(4096)),
      at('Intel', 'system_cpu_percent', { both: 'not said' }),
    ]),
    receiver('Monet (Alpha 21264)', MONET_LINES, [
      model('system_cpu_percent', MONET, pick('copy', 'neither'), PAGES(8192)),
      at('Monet LANai-5', 'system_cpu_percent', { copy: 'not said', neither: 'zero-copy and checksum offload' }),
      {
        from: 'statement',
        x: 8192,
        y: 30,
        line: 'neither',
        relation: 'below',
        words: 'below 30 %',
        printed: 'below 30 %',
      },
    ]),
    receiver(
      '440BX',
      [{ id: 'copy', label: '440BX', tone: 3 }],
      [
        model('system_cpu_percent', BX, pick('copy')),
        at('440BX', 'system_cpu_percent', { copy: 'not said' }),
        {
          from: 'statement',
          x: 58_368,
          y: null,
          relation: 'from',
          words: 'least at 57 KB',
          printed: 'minimal at 57 KB',
        },
      ],
    ),
    {
      form: 'lines',
      title: 'Bandwidth',
      x: MTU,
      y: { label: 'Link-level throughput', unit: 'Mb/s', spacing: 'linear', domain: [0, 1050] },
      lines: [
        { id: 'intel', label: 'Intel', tone: 1 },
        { id: 'miata', label: 'Miata', tone: 2 },
        { id: 'monet', label: 'Monet', tone: 5 },
      ],
      sources: [
        model('throughput_mbps', INTEL, { intel: { copies: 1, checksums: 1 } }),
        model('throughput_mbps', MONET, { monet: { copies: 1, checksums: 0 } }),
        {
          from: 'cells',
          cells: published(DATA),
          x: { of: 'mtu_bytes' },
          y: { of: 'throughput_mbps' },
          by: 'host',
          lines: { intel: 'Intel', miata: 'Miata LANai-4', monet: 'Monet LANai-5' },
        },
      ],
    },
  ],
  verdict:
    'With costs set by two printed shares each, the model meets the printed numbers; that is what it was set by. What follows without tuning is the shape: a CPU share that falls with the frame once the link is full, and far lower when data are not touched. Zero-copy is drawn from a whole page on.',
  checks: [
    { of: 'deviation', panel: 0 },
    { of: 'deviation', panel: 1 },
    { of: 'value', panel: 1, at: 8192, line: 'neither', published: 'below 30 %' },
    { of: 'deviation', panel: 2 },
    { of: 'deviation', panel: 3 },
  ],
  missing:
    'The curves were plotted, not printed. The two runs of steps that the text explains by page sizes and page colouring are in no model. In bandwidth the adapter’s limit is an input of the model, not a result; the 440BX’s was not printed.',
  open: [
    dataLink('The published values', DATA),
    modelLink('The model', 'end-system-costs', { measure: 'system_cpu_percent' }),
  ],
};

const SENDER: Figure = {
  id: 'chase-1999-figure-4',
  document: 'chase-1999',
  label: 'Figure 4',
  title: 'What sending costs as frames grow',
  panels: [
    {
      form: 'lines',
      title: 'Intel hosts',
      x: MTU,
      y: CPU('Sender'),
      lines: VARIANTS,
      sources: [model('sender_cpu_percent', INTEL, SWITCHES, PAGES(4096))],
    },
    {
      form: 'lines',
      title: 'Monet (Alpha 21264)',
      x: MTU,
      y: CPU('Sender'),
      lines: MONET_LINES,
      sources: [model('sender_cpu_percent', MONET, pick('copy', 'neither'), PAGES(8192))],
    },
  ],
  verdict:
    'The text’s course comes out: the share first rises with the frame, as the receiver takes more, and falls once the link is full. The height rests on an assumed ratio of sender to receiver.',
  checks: [{ of: 'value', panel: 0, at: 8192 }],
  missing: 'No number of the figure was printed, so nothing published can be marked.',
  open: [modelLink('The model', 'end-system-costs', { measure: 'sender_cpu_percent' })],
};

export const chase: Document = {
  id: 'chase-1999',
  short: 'Chase et al. 1999',
  citation: 'J. Chase, A. Gallatin, K. Yocum. End-System Optimizations for High-Speed TCP, measurements of 1999.',
  about: 'CPU use of both ends of a TCP transfer against the MTU, with copying and checksums switched on and off.',
  figures: [RECEIVER, SENDER],
  absent: [],
};
