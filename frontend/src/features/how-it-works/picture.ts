// SPDX-License-Identifier: Apache-2.0
// A moment of a simulation as shapes: lanes over one time axis, now at the crosshair. What lies ahead is not drawn. No DOM.
import { decimal } from '../../plots/number';
import { niceStep } from '../../plots/scale';
import { END, HALO, LETTER_PX, line, NOTE, path, rect, type Shape, TICK, text } from '../../plots/shapes';
import {
  axis,
  box,
  crosshair,
  floor,
  heightOf,
  type Place,
  rounded,
  stacked,
  sunk,
  titled,
  type View,
  viewOf,
} from './lane';
import { frameTime, MODERATION, meanGap, type Parameters, wireTime } from './simulation/parameters';
import { type Simulation, type Task, upTo } from './simulation/record';
import { QUEUE_PACKETS } from './simulation/simulate';

const HEIGHTS = { wire: 22, ring: 44, timer: 34, line: 20, cpu: 26, packets: 88 } as const;
type LaneName = keyof typeof HEIGHTS;

const places = stacked(Object.values(HEIGHTS));
const LANES = Object.fromEntries(Object.keys(HEIGHTS).map((name, k) => [name, places[k]])) as Record<LaneName, Place>;
export const PICTURE_HEIGHT = heightOf(places);

/** How much time the picture shows: some turns of the moderation, and some frames [µs]. */
export function spanOf(p: Parameters): number {
  const gap = meanGap(p);
  const timed = p.moderation_kind === MODERATION.everyPacket ? 0 : p.delay_us;
  const packet = p.moderation_kind === MODERATION.packetTimer ? p.packet_delay_us : 0;
  const burst = p.spacing === 'bursts' ? 1.2 * p.burst_packets * gap : 0;
  const want = Math.max(
    14 * Math.min(gap, 400),
    3.2 * (timed + Math.min(gap, 2000)),
    Math.min(1.5 * packet, 6000),
    burst,
  );
  const step = niceStep(want / 4);
  return Math.ceil(want / step) * step;
}

export interface Moment {
  readonly simulation: Simulation;
  readonly parameters: Parameters;
  readonly now_us: number;
  readonly width: number;
}

type Frame = Moment & View;

export function pictureOf(moment: Moment): { readonly shapes: readonly Shape[]; readonly us_per_px: number } {
  const f: Frame = { ...moment, ...viewOf(spanOf(moment.parameters), moment.now_us, moment.width) };
  const shapes = [
    ...axis(f, PICTURE_HEIGHT),
    ...wire(f),
    ...ring(f),
    ...timers(f),
    ...interruptLine(f),
    ...cpu(f),
    ...links(f),
    ...crosshair(f, PICTURE_HEIGHT),
  ];
  return { shapes, us_per_px: f.us_per_px };
}

function wire(f: Frame): Shape[] {
  const { top, bottom } = LANES.wire;
  const pause = wireTime(f.parameters) - frameTime(f.parameters);
  const { packets } = f.simulation;
  let [whole, lost] = ['', ''];
  for (const p of packets.slice(
    upTo(packets, (q) => q.end_us, f.from),
    upTo(packets, (q) => q.start_us, f.now_us),
  )) {
    const start = p.start_us + pause;
    if (start > f.now_us) continue;
    const own = box(Math.max(0, f.x(start)), f.x(Math.min(p.end_us, f.now_us)) - 0.6, top, bottom);
    if (p.lost === null || p.lost_us > f.now_us) whole += own;
    else lost += own;
  }
  const bytes = `${decimal(f.parameters.mtu_bytes + 18, 0)} bytes, ${decimal(frameTime(f.parameters), 1)} µs`;
  return [
    ...titled(LANES.wire, 'Wire', f.narrow ? bytes : `each frame: ${bytes}`),
    path(whole, { fill: 'var(--mtu-1)' }),
    path(lost, { stroke: 'var(--bad)', 'stroke-width': 1.25, 'stroke-dasharray': '2 2' }),
    floor(f, LANES.wire),
  ];
}

/** A stair from a list of depths. */
function stair(f: Frame, height: (d: { ring: number; queue: number }) => number, lane: Place): string {
  const { depths } = f.simulation;
  const first = Math.max(0, upTo(depths, (d) => d.t_us, f.from) - 1);
  const last = upTo(depths, (d) => d.t_us, f.now_us);
  let d = `M${rounded(Math.max(0, f.x(depths[first].t_us)))} ${lane.bottom}`;
  for (let k = first; k < last; k++) d += `H${rounded(Math.max(0, f.x(depths[k].t_us)))}V${rounded(height(depths[k]))}`;
  return `${d}H${f.crosshair}V${lane.bottom}Z`;
}

/** What a colour of a lane means, above it. */
const swatch = (x: number, top: number, fill: string, words: string): Shape[] => [
  rect(x, top - 14, 9, 9, { fill, stroke: 'var(--line-3)', 'stroke-width': 0.5 }),
  text(x + 13, top - 5, words, { ...NOTE, ...HALO, fill: 'var(--ink-2)' }),
];

const WAITING = { ring: 'var(--mtu-2)', queue: 'var(--cost-byte)' } as const;

function ring(f: Frame): Shape[] {
  const lane = LANES.ring;
  const { depths } = f.simulation;
  const now = depths[Math.max(0, upTo(depths, (d) => d.t_us, f.now_us) - 1)];
  const shown = depths.slice(
    Math.max(0, upTo(depths, (d) => d.t_us, f.from) - 1),
    Math.max(
      1,
      upTo(depths, (d) => d.t_us, f.now_us),
    ),
  );
  const top = shown.reduce((most, d) => Math.max(most, d.ring + d.queue), 4);
  const y = (n: number): number => lane.bottom - ((lane.bottom - lane.top) * n) / top;
  const { ring_descriptors, napi_weight } = f.parameters;
  const parts = [
    { fill: WAITING.ring, waiting: now.ring, of: ring_descriptors, words: 'in the ring' },
    ...(napi_weight > 0 ? [] : [{ fill: WAITING.queue, waiting: now.queue, of: QUEUE_PACKETS, words: 'in the queue' }]),
  ];
  let x = 'Waiting'.length * LETTER_PX.name + 10;
  const key = parts.flatMap(({ fill, waiting, of, words }): Shape[] => {
    const said = (count: number): string => `${decimal(count, 0)}${f.narrow ? '' : ` of ${decimal(of, 0)}`} ${words}`;
    const shapes = swatch(x, lane.top, fill, said(waiting));
    // what follows keeps its place while this one fills
    x += 30 + said(of).length * LETTER_PX.sentence;
    return shapes;
  });
  return [
    ...titled(lane, 'Waiting', ''),
    ...key,
    path(
      stair(f, (d) => y(d.ring + d.queue), lane),
      { fill: WAITING.queue },
    ),
    path(
      stair(f, (d) => y(d.ring), lane),
      { fill: WAITING.ring },
    ),
    floor(f, LANES.ring),
  ];
}

const TIMER_WORDS = ['none', 'absolute', 'packet', 'absolute and packet', 'throttle', 'leading edge'];

/** A timer that runs falls from its whole time to zero. */
function timers(f: Frame): Shape[] {
  const { top, bottom } = LANES.timer;
  const { countdowns } = f.simulation;
  const ramps = { absolute: '', packet: '', throttle: '' };
  let ahead = '';
  const begun = upTo(countdowns, (c) => c.start_us, f.now_us);
  let left = Number.NaN;
  // none lasts longer than the picture and its own time
  const first = upTo(
    countdowns,
    (c) => c.start_us,
    f.from - Math.max(f.parameters.delay_us, f.parameters.packet_delay_us) - 200,
  );
  for (const c of countdowns.slice(first, begun)) {
    const runs = !(c.end_us <= f.now_us);
    const end = runs ? f.now_us : c.end_us;
    if (end < f.from) continue;
    const whole = Math.max(c.due_us - c.start_us, 1e-9);
    const y = (t: number): number => top + (bottom - top) * Math.min(1, (t - c.start_us) / whole);
    const from = Math.max(c.start_us, f.from);
    const turn = Math.min(end, Math.max(from, c.due_us));
    ramps[c.timer] +=
      `M${rounded(f.x(from))} ${bottom}V${rounded(y(from))}L${rounded(f.x(turn))} ${rounded(y(turn))}L${rounded(f.x(end))} ${rounded(y(end))}V${bottom}Z`;
    if (runs) {
      left = Math.max(0, c.due_us - f.now_us);
      const stop = Math.min(f.width, f.x(c.due_us));
      const t = f.now_us + (stop - f.crosshair) / (f.x(1) - f.x(0));
      ahead += `M${f.crosshair} ${rounded(y(f.now_us))}L${rounded(stop)} ${rounded(y(t))}`;
    }
  }
  const kind = TIMER_WORDS[f.parameters.moderation_kind];
  const rest = left > 0 ? `${decimal(left, 1)} µs left` : 'over: the frame under way is completed';
  const value = Number.isNaN(left) ? kind : `${kind}, ${rest}`;
  return [
    ...titled(LANES.timer, 'Timer', value),
    path(ramps.absolute + ramps.throttle, { fill: 'var(--line-2)', stroke: 'var(--line-3)', 'stroke-width': 1 }),
    path(ramps.packet, { stroke: 'var(--ink-2)', 'stroke-width': 1 }),
    path(ahead, { stroke: 'var(--line-3)', 'stroke-dasharray': '3 3' }),
    floor(f, LANES.timer),
  ];
}

function interruptLine(f: Frame): Shape[] {
  const { top, bottom } = LANES.line;
  const { interrupts } = f.simulation;
  const raised = upTo(interrupts, (i) => i.raised_us, f.now_us);
  const own = interrupts.slice(
    upTo(interrupts, (i) => i.raised_us, f.from),
    raised,
  );
  const room = own.length > 0 ? (f.crosshair - Math.max(0, f.x(f.from))) / own.length : 0;
  let [edges, high] = ['', ''];
  const counts: Shape[] = [];
  for (const i of own) {
    const x = f.x(i.raised_us);
    edges += `M${rounded(x)} ${bottom}V${top}`;
    const served = Number.isNaN(i.served_us) ? f.now_us : Math.min(i.served_us, f.now_us);
    if (served > i.raised_us) high += box(x, f.x(served), top, bottom);
    if (room > 34)
      counts.push(text(x + 5, bottom - 5, `${decimal(i.packets, 0)}`, { ...TICK, ...HALO, 'font-weight': 600 }));
  }
  const latest = interrupts[raised - 1];
  const value = latest ? `number ${decimal(raised, 0)} brought ${decimal(latest.packets, 0)}` : 'none yet';
  return [
    ...titled(LANES.line, 'Interrupt', value),
    path(high, { fill: 'var(--cost-packet)' }),
    path(edges, { stroke: 'var(--ink)', 'stroke-width': 2 }),
    ...counts,
    floor(f, LANES.line),
  ];
}

const TASKS: Readonly<Record<Task, { fill: string; words: string }>> = {
  interrupt: { fill: 'var(--cost-interrupt)', words: 'interrupt' },
  poll: { fill: 'var(--cost-packet)', words: 'protocols' },
  application: { fill: 'var(--cost-byte)', words: 'application' },
};
const ORDER: readonly Task[] = ['interrupt', 'poll', 'application'];

function cpu(f: Frame): Shape[] {
  const { top, bottom } = LANES.cpu;
  const { works } = f.simulation;
  const d: Record<Task, string> = { interrupt: '', poll: '', application: '' };
  let now: Task | null = null;
  const first = Math.max(0, upTo(works, (w) => w.start_us, f.from) - 1);
  for (const w of works.slice(
    first,
    upTo(works, (v) => v.start_us, f.now_us),
  )) {
    if (w.end_us < f.from) continue;
    d[w.task] += box(Math.max(0, f.x(w.start_us)), f.x(Math.min(w.end_us, f.now_us)), top, bottom);
    if (w.end_us > f.now_us) now = w.task;
  }
  const key = ORDER.flatMap((task, k) =>
    swatch(
      f.crosshair - 240 + [0, 74, 152][k],
      top,
      TASKS[task].fill,
      task === 'poll' && f.parameters.napi_weight > 0 ? 'polls' : TASKS[task].words,
    ),
  );
  const busy = now === null ? 'idle' : now === 'poll' && f.parameters.napi_weight > 0 ? 'polls' : TASKS[now].words;
  return [
    ...titled(LANES.cpu, 'CPU', f.narrow ? '' : busy),
    ...ORDER.map((task) => path(d[task], { fill: TASKS[task].fill })),
    ...key,
    floor(f, LANES.cpu),
  ];
}

/** Each packet from its arrival to the interrupt that tells of it, and on to the application: what is sloped has waited. */
function links(f: Frame): Shape[] {
  const { top, bottom } = LANES.packets;
  const middle = top + (bottom - top) * 0.5;
  const { packets } = f.simulation;
  const arrived = upTo(packets, (p) => p.end_us, f.now_us);
  let [waits, works, lost, ends] = ['', '', '', ''];
  // what a crosshair's width ahead of the picture arrived may still be waiting
  const first = Math.max(0, upTo(packets, (p) => p.end_us, f.from) - QUEUE_PACKETS);
  for (const p of packets.slice(first, arrived)) {
    const told = p.announced_us <= f.now_us;
    const until = told ? p.announced_us : f.now_us;
    const gone = p.lost !== null && p.lost_us <= f.now_us;
    if (gone && !told) {
      lost += cross(f.x(p.lost_us), top + 6);
      continue;
    }
    if (until >= f.from)
      waits += `M${rounded(f.x(p.end_us))} ${top}L${rounded(f.x(until))} ${told ? middle : rounded(sunk(f, p.end_us, top, middle))}`;
    if (!told) continue;
    if (gone) {
      if (p.lost_us >= f.from) lost += cross(f.x(p.lost_us), middle + 8);
      continue;
    }
    const done = p.delivered_us <= f.now_us;
    const to = done ? p.delivered_us : f.now_us;
    if (to < f.from) continue;
    works += `M${rounded(f.x(p.announced_us))} ${middle}L${rounded(f.x(to))} ${done ? bottom : bottom - 10}`;
    if (done) ends += `M${rounded(f.x(to))} ${bottom - 3}v6`;
  }
  const { width } = f;
  return [
    ...titled(
      LANES.packets,
      'Each packet',
      f.narrow ? 'slanted: it waits' : 'from the wire to the application; what is slanted waits',
    ),
    line(0, top, width, top, { stroke: 'var(--line-2)' }),
    line(0, middle, width, middle, { stroke: 'var(--line)' }),
    floor(f, LANES.packets),
    path(waits, { stroke: 'var(--mtu-2)', 'stroke-width': 1.25 }),
    path(works, { stroke: 'var(--line-3)', 'stroke-width': 1 }),
    path(ends, { stroke: 'var(--ink)', 'stroke-width': 1.25 }),
    path(lost, { stroke: 'var(--bad)', 'stroke-width': 1.5 }),
    ...(
      [
        ['arrived', top + 12],
        ['interrupt', middle + 4],
        ['delivered', bottom - 4],
      ] as const
    ).map(([words, y]) => text(width, y, f.narrow ? '' : words, { ...NOTE, ...HALO, ...END })),
  ];
}

const cross = (x: number, y: number): string => `M${rounded(x - 3)} ${y - 3}l6 6m0 -6l-6 6`;

export const laneWords =
  'Six lanes over one time axis: frames on the wire, packets that wait, the timer, interrupts, what the CPU does, and each packet from its arrival to the application.';
