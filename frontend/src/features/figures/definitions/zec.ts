// SPDX-License-Identifier: Apache-2.0
import type { Axis, Document, Figure, Line, LinesPanel, Parameters } from '../definition';
import { assumed, modelLink, printed } from './parts';

const DELAY: Axis = {
  label: 'Coalescing delay',
  unit: 'µs',
  spacing: 'linear',
  domain: [0, 1000],
  ticks: [0, 200, 400, 600, 800, 1000],
};
const GOODPUT: Axis = { label: 'TCP payload', unit: 'Mb/s', spacing: 'linear', domain: [0, 100] };

const PATH: Parameters = {
  mtu_bytes: printed(1500),
  window_bytes: printed(16384, 'default of all three systems'),
  link_rate_mbps: printed(100),
  medium_efficiency: printed(0.9228, 'so that the medium carries the printed 7500 packets/s'),
};

interface Path {
  readonly label: string;
  readonly coalescing_nics: number;
  readonly rtt_min_us: number;
}

const TONES = [3, 1, 2, 4, 5] as const;

function throughput(paths: readonly Path[], set: Parameters): LinesPanel {
  const lines = paths.map((path, i): Line => ({ id: `path-${i + 1}`, label: path.label, tone: TONES[i] }));
  return {
    form: 'lines',
    x: DELAY,
    y: GOODPUT,
    lines,
    sources: [
      {
        from: 'model',
        model: 'tcp-coalescing-throughput',
        output: 'goodput_mbps',
        set,
        along: 'delay_us',
        per: Object.fromEntries(
          paths.map(({ coalescing_nics, rtt_min_us }, i) => [`path-${i + 1}`, { coalescing_nics, rtt_min_us }]),
        ),
      },
    ],
  };
}

const figure = (number: number, rest: Omit<Figure, 'id' | 'document' | 'label'>): Figure => ({
  id: `zec-2002-figure-${number}`,
  document: 'zec-2002',
  label: `Figure ${number}`,
  ...rest,
});

const scenario = (
  number: number,
  title: string,
  caption: Path,
  others: readonly Path[],
  words: { readonly verdict: string; readonly missing: string },
): Figure =>
  figure(number, {
    title,
    panels: [throughput([caption, ...others], PATH)],
    verdict: words.verdict,
    checks: [
      { of: 'value', at: 0, line: 'path-1' },
      { of: 'value', at: 1000, line: 'path-1' },
    ],
    missing: words.missing,
    open: [
      modelLink('The model', 'tcp-coalescing-throughput', {
        coalescing_nics: caption.coalescing_nics,
        rtt_min_us: caption.rtt_min_us,
      }),
    ],
  });

const NOT_PRINTED =
  'The measured transfer rates of the clients were plotted, not printed: only N and the smallest round trip of the caption are known.';

const VARIANTS: readonly Line[] = [
  { id: 'first', label: 'IRQ 5', tone: 1 },
  { id: 'first-read', label: 'IRQ 5, one read', tone: 2 },
  { id: 'second', label: 'IRQ 9', tone: 3 },
  { id: 'second-read', label: 'IRQ 9, one read', tone: 5 },
];

const DELAYS = [0, 50, 100, 200, 500] as const;
const DELAY_LINES = DELAYS.map(
  (delay, i): Line => ({
    id: String(delay),
    label: `${i === 0 ? 'delay ' : ''}${delay}${i === 0 ? ' µs' : ''}`,
    tone: ([1, 2, 3, 4, 5] as const)[i],
  }),
);
const RATE: Axis = { label: 'Incoming packets', unit: 'per second', spacing: 'linear', domain: [0, 100_000] };
const LOAD: Parameters = {
  interrupt_cost_us: printed(5.56, 'one over the printed 180 000 per second'),
  packet_cost_us: assumed(2, 'packets are dropped by an access list'),
  poll_rate_hz: assumed(1000, 'not drawn'),
  poll_cost_us: assumed(2, 'not drawn'),
};
const load = (y: Axis, output: string): LinesPanel => ({
  form: 'lines',
  x: RATE,
  y,
  lines: DELAY_LINES,
  sources: [
    {
      from: 'model',
      model: 'coalesced-interrupt-load',
      output,
      set: LOAD,
      along: 'packet_rate_hz',
      per: Object.fromEntries(DELAYS.map((delay) => [String(delay), { delay_us: delay }])),
    },
  ],
});

const TEXT_SAYS = 'The text describes one coalescing interface for figures 5 and 6, and two for 7 and 8.';

const FIGURES: readonly Figure[] = [
  figure(1, {
    title: 'What bare interrupts cost, up to livelock',
    panels: [
      {
        form: 'lines',
        x: { label: 'Interrupts', unit: 'per second', spacing: 'linear', domain: [0, 240_000] },
        y: { label: 'CPU load', unit: '%', spacing: 'linear', domain: [0, 105] },
        lines: VARIANTS,
        sources: [
          {
            from: 'model',
            model: 'interrupt-livelock',
            output: 'system_cpu_percent',
            set: {
              interrupt_entry_us: printed(5.56, 'one over the printed 180 000 per second; the text allows 1 to 20'),
              register_read_us: assumed(0.5, 'not printed'),
              cascade_us: assumed(1, 'not printed'),
            },
            along: 'interrupt_rate_hz',
            per: {
              first: { register_reads: 0, cascaded: 0 },
              'first-read': { register_reads: 1, cascaded: 0 },
              second: { register_reads: 0, cascaded: 1 },
              'second-read': { register_reads: 1, cascaded: 1 },
            },
          },
          {
            from: 'statement',
            x: 180_000,
            y: 100,
            line: 'first',
            relation: 'about',
            words: '',
            printed: '≈ 180,000 interrupts/s',
          },
          {
            from: 'statement',
            x: 180_000,
            y: null,
            relation: 'about',
            words: 'livelock from about 180 000',
            printed: '≈ 180,000 interrupts/s',
          },
        ],
      },
    ],
    verdict:
      'The first line meets the printed livelock rate because it was set by it. That a register read and the second interrupt controller cost more is the text’s; how much more is assumed.',
    checks: [{ of: 'value', at: 180_000, published: 'about 100 % at 180 000 per second, by configuration' }],
    missing:
      'The four measured curves were plotted; the text gives one rate for all, “depending on the configuration”.',
    open: [modelLink('The model', 'interrupt-livelock')],
  }),
  figure(2, {
    title: 'Interrupts and CPU load against the packet rate, by delay',
    panels: [
      {
        ...load(
          { label: 'Interrupts', unit: 'per second', spacing: 'linear', domain: [0, 100_000] },
          'rx_interrupt_rate_hz',
        ),
        title: 'Interrupts',
      },
      {
        ...load({ label: 'CPU load', unit: '%', spacing: 'linear', domain: [0, 105] }, 'system_cpu_percent'),
        title: 'CPU load',
      },
    ],
    verdict:
      'Interrupts and load fall almost in proportion to the delay, as the text says of the measured curves; with a delay the rate cannot exceed one over it.',
    checks: [{ of: 'value', panel: 0, at: 100_000 }],
    missing: 'Neither the curves nor the delays they were measured with are printed: the five delays here are ours.',
    open: [modelLink('The model', 'coalesced-interrupt-load', { measure: 'system_cpu_percent' })],
  }),
  figure(4, {
    title: 'TCP throughput in theory: delay, round trip, interfaces',
    panels: [
      throughput(
        [
          { label: 'N = 1, 0.5 ms', coalescing_nics: 1, rtt_min_us: 500 },
          { label: 'N = 2, 0.5 ms', coalescing_nics: 2, rtt_min_us: 500 },
          { label: 'N = 1, 1 ms', coalescing_nics: 1, rtt_min_us: 1000 },
          { label: 'N = 2, 1 ms', coalescing_nics: 2, rtt_min_us: 1000 },
          { label: 'N = 4, 1 ms', coalescing_nics: 4, rtt_min_us: 1000 },
        ],
        PATH,
      ),
    ],
    verdict:
      'The figure is theory, and so is this: the same equation (17), in the form of its root that does not cancel at small delays. Up to the delay at which the window closes, the medium binds and nothing is lost.',
    checks: [{ of: 'value', at: 1000 }],
    missing: 'Which N and round trips the paper’s curves have stands in the plot only: the five pairs here are ours.',
    open: [modelLink('The model', 'tcp-coalescing-throughput')],
  }),
  scenario(
    5,
    'One switch: throughput against the delay',
    { label: 'N = 2, caption', coalescing_nics: 2, rtt_min_us: 1137 },
    [{ label: 'N = 1, text', coalescing_nics: 1, rtt_min_us: 1137 }],
    {
      verdict: `Caption and text disagree. ${TEXT_SAYS} The caption has N = 2; with one interface the loss would be far less. Both are drawn.`,
      missing: NOT_PRINTED,
    },
  ),
  scenario(
    6,
    'Across the backbone: throughput against the delay',
    { label: 'N = 1, 0.739 ms', coalescing_nics: 1, rtt_min_us: 739 },
    [],
    {
      verdict:
        'The caption repeats that of figure 7. The text wants a longer round trip here than in figure 5, and the caption’s 0.739 ms is shorter: it cannot be right for both. Drawn as the caption has it.',
      missing: `${NOT_PRINTED} The round trip across the backbone is not known, so a curve with the text’s cannot be drawn.`,
    },
  ),
  scenario(
    7,
    'Through a router: throughput against the delay',
    { label: 'N = 1, caption', coalescing_nics: 1, rtt_min_us: 739 },
    [{ label: 'N = 2, text', coalescing_nics: 2, rtt_min_us: 739 }],
    {
      verdict: `Caption and text disagree. ${TEXT_SAYS} The caption has N = 1, the router of the text two interfaces. Both are drawn.`,
      missing: NOT_PRINTED,
    },
  ),
  scenario(
    8,
    'Through a router and the backbone: throughput against the delay',
    { label: 'N = 2, 1.696 ms', coalescing_nics: 2, rtt_min_us: 1696 },
    [],
    {
      verdict:
        'Caption and text agree on two interfaces. Even without a delay the window of 11 packets cannot fill the medium over this round trip, and each delay takes more.',
      missing: NOT_PRINTED,
    },
  ),
];

export const zec: Document = {
  id: 'zec-2002',
  short: 'Zec et al. 2002',
  citation:
    'M. Zec, M. Mikuc, M. Žagar. Estimating the Impact of Interrupt Coalescing Delays on Steady State TCP Throughput. SoftCOM 2002.',
  about:
    'What interrupts cost, and what delaying them costs a TCP connection. The equations are printed and drawn as they are; measured points are in the plots only.',
  figures: FIGURES,
  absent: ['Figure 3 is a sketch of the queues that the equations come from: nothing is measured in it.'],
};
