// SPDX-License-Identifier: Apache-2.0
// How one run went over its time, or several beside each other: panels over one time axis, as shapes. No DOM.
import type { Contents } from '../api/types';
import { dodge } from './dodge';
import { brief, digitsOfStep } from './number';
import { linear, niceStep, niceTicks, type Scale } from './scale';
import {
  type Attributes,
  AXIS,
  END,
  HALO,
  LETTER_PX,
  LIVE,
  line,
  MIDDLE,
  NOTE,
  path,
  polyline,
  rect,
  type Shape,
  TICK,
  text,
} from './shapes';

export type Series = Contents['series'][number];

/** A run in the picture; `dash` tells it from the others, '' is a whole line. */
export interface TimedRun {
  readonly name: string;
  readonly contents: Contents;
}

interface OnMounted {
  readonly label: string;
  readonly series: Series;
  readonly edges: readonly number[];
  readonly dash: string;
  readonly stroke: string;
}

interface Panel {
  readonly title: string;
  /** The quantity that the title names, where it is one. */
  readonly of?: string;
  readonly lines: readonly OnMounted[];
  /** What the values cannot exceed. */
  readonly limit?: number;
  /** Lines stand on each other and fill what is below them. */
  readonly stacked: boolean;
}

export interface Timeline {
  readonly shapes: readonly Shape[];
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly time: Scale;
}

const TITLES: Readonly<Record<string, string>> = {
  throughput: 'Throughput',
  packets: 'Packets',
  interrupts: 'Receive interrupts',
  ratio: 'Packets per interrupt',
  cpu: 'CPU time by class, of all CPUs',
};
const DASHES = ['', '6 3', '2 3', '8 3 2 3'];
const PANEL = 96;
const STACK = 128;
const GAP = 44;
const HEAD = 28;
const FOOT = 36;
const LEFT = 60;
const NARROW = 560;
const LEAST_PERCENT = 0.05;

/** A group's series in every run, in the order of the first that has them. */
export function panelsOf(runs: readonly TimedRun[]): Panel[] {
  const groups = [...new Set(runs.flatMap(({ contents }) => contents.series.map(({ group }) => group)))];
  const order = Object.keys(TITLES);
  return groups
    .sort((a, b) => order.indexOf(a) - order.indexOf(b))
    .map((group) => (group === 'cpu' ? cpuPanel(runs) : plainPanel(runs, group)))
    .filter(({ lines }) => lines.length > 0);
}

function plainPanel(runs: readonly TimedRun[], group: string): Panel {
  const together = several(runs);
  const lines = runs.flatMap(({ name, contents }, run) => {
    const own = contents.series.filter((s) => s.group === group);
    const shown = together ? own.slice(0, 1) : own;
    return shown.map((series, k): OnMounted => {
      const sends = /^(tx_|sent)/.test(series.name);
      return {
        label: together ? name : own.length > 1 ? (sends ? 'sent' : 'received') : '',
        series,
        edges: contents.edges_s,
        dash: DASHES[(together ? run : k) % DASHES.length],
        stroke: 'var(--ink)',
      };
    });
  });
  const unit = lines[0]?.series.unit ?? '';
  const of = together && lines[0] ? lines[0].series.label : TITLES[group];
  return { title: `${of ?? group}, ${unit}`, of: lines[0]?.series.name, lines, stacked: false };
}

const several = (runs: readonly TimedRun[]): boolean => runs.length > 1;

function cpuPanel(runs: readonly TimedRun[]): Panel {
  if (several(runs)) {
    const lines = runs.flatMap(({ name, contents }, run): OnMounted[] => {
      const idle = contents.series.find((s) => s.name === 'cpu_idle_percent');
      if (!idle) return [];
      const busy = (v: number | null) => (v === null ? null : 100 - v);
      const series = {
        ...idle,
        label: 'CPU time that was not idle',
        mean: idle.mean.map(busy),
        least: idle.most.map(busy),
        most: idle.least.map(busy),
      };
      return [
        { label: name, series, edges: contents.edges_s, dash: DASHES[run % DASHES.length], stroke: 'var(--ink)' },
      ];
    });
    return { title: 'CPU time that was not idle, % of all CPUs', lines, stacked: false, limit: 100 };
  }
  const [{ contents }] = runs;
  const busy = contents.series.filter(
    (s) => s.group === 'cpu' && s.name !== 'cpu_idle_percent' && average(s.mean) > LEAST_PERCENT,
  );
  const lines = busy.map((series, k): OnMounted => {
    const share = busy.length > 1 ? Math.round(100 - (100 * k) / (busy.length - 1)) : 100;
    return {
      label: series.label,
      series,
      edges: contents.edges_s,
      dash: '',
      stroke: `color-mix(in srgb, var(--cost-interrupt) ${share}%, var(--cost-byte))`,
    };
  });
  return { title: `${TITLES.cpu}, %`, lines, stacked: true, limit: 100 };
}

function average(values: readonly (number | null)[]): number {
  const known = values.filter((v) => v !== null);
  return known.reduce((sum, v) => sum + v, 0) / Math.max(1, known.length);
}

const most = (values: readonly (number | null)[]): number => values.reduce<number>((a, v) => Math.max(a, v ?? 0), 0);

/** Running sums from the bottom: what each line of a stack stands on, and its own top. */
function stack(lines: readonly OnMounted[]): { base: number[]; top: number[] }[] {
  let base = lines[0]?.series.mean.map(() => 0) ?? [];
  return lines.map(({ series }) => {
    const own = base;
    base = own.map((v, k) => v + (series.mean[k] ?? 0));
    return { base: own, top: base };
  });
}

/** The middles of the stretches. */
export function middles(edges: readonly number[]): number[] {
  return edges.slice(1).map((edge, k) => (edge + edges[k]) / 2);
}

/** Which stretch a moment lies in; the nearest where it lies in none. */
export function stretchAt(edges: readonly number[], moment: number): number {
  const after = edges.findIndex((edge) => edge > moment);
  return Math.max(0, Math.min(edges.length - 2, (after < 0 ? edges.length - 1 : after) - 1));
}

/** A line that keeps its value over each stretch, with gaps where there is none. */
function steps(edges: readonly number[], values: readonly (number | null)[], x: Scale, y: Scale): string {
  const xs: number[] = [];
  const ys: number[] = [];
  values.forEach((value, k) => {
    const at = value === null ? Number.NaN : y(value);
    xs.push(x(edges[k]), x(edges[k + 1]));
    ys.push(at, at);
  });
  return polyline(xs, ys);
}

function band(edges: readonly number[], low: readonly (number | null)[], high: typeof low, x: Scale, y: Scale): string {
  const parts: string[] = [];
  const r = (v: number): number => Math.round(v * 100) / 100;
  for (let k = 0; k < low.length; k++) {
    const [a, b] = [low[k], high[k]];
    if (a === null || b === null) continue;
    parts.push(
      `M${r(x(edges[k]))} ${r(y(a))}H${r(x(edges[k + 1]))}V${r(Math.min(y(b), y(a) - 0.5))}H${r(x(edges[k]))}Z`,
    );
  }
  return parts.join('');
}

function valueAxis(top: number, y: Scale, hi: number, left: number, right: number): Shape[] {
  const ticks = niceTicks(0, hi, 3);
  return ticks.flatMap((value) => [
    line(left, y(value), right, y(value), { stroke: value === 0 ? 'var(--line-3)' : 'var(--line)' }),
    text(left - 8, Math.max(y(value), top) + 4, brief(value), { ...TICK, ...END }),
  ]);
}

const named = (of: string | undefined): Attributes => (of === undefined ? {} : { 'data-quantity': of });

function panelShapes(panel: Panel, top: number, height: number, x: Scale, right: number, at: number | null): Shape[] {
  const stacks = panel.stacked ? stack(panel.lines) : [];
  const tops = panel.stacked
    ? most(stacks.at(-1)?.top ?? [])
    : Math.max(...panel.lines.map(({ series }) => most(series.most)));
  const step = niceStep((tops || 1) / 3);
  const hi = Math.min(panel.limit ?? Number.POSITIVE_INFINITY, Math.max(step, Math.ceil((tops * 1.02) / step) * step));
  const y = linear([0, hi], [top + height, top]);
  const shapes: Shape[] = [
    text(0, top - 14, panel.title, { ...AXIS, 'font-weight': 600, fill: 'var(--ink)', ...named(panel.of) }),
    ...valueAxis(top, y, hi, LEFT, right),
  ];
  panel.lines.forEach(({ series, edges, dash, stroke }, k) => {
    if (panel.stacked) {
      const { base, top: over } = stacks[k];
      shapes.push(path(band(edges, base, over, x, y), { fill: stroke, class: 'stack' }));
      return;
    }
    if (panel.lines.length === 1 || k === 0)
      shapes.push(path(band(edges, series.least, series.most, x, y), { fill: 'var(--line)' }));
    const dashed: Attributes = dash ? { 'stroke-dasharray': dash } : {};
    shapes.push(path(steps(edges, series.mean, x, y), { stroke, 'stroke-width': 1.4, ...dashed }));
  });
  return [...shapes, ...labels(panel, stacks, y, top, height, right, at)];
}

/** What a line is, and at the crosshair its value, at the right end of it. */
function labels(
  panel: Panel,
  stacks: readonly { base: number[]; top: number[] }[],
  y: Scale,
  top: number,
  height: number,
  right: number,
  at: number | null,
): Shape[] {
  const narrow = right < NARROW - 88;
  const ends = panel.lines.map(({ series, edges }, k) => {
    const place = at === null ? null : stretchAt(edges, at);
    const mid = (values: readonly (number | null)[]): number =>
      place === null ? average(values) : (values[place] ?? average(values));
    return y(panel.stacked ? (mid(stacks[k].base) + mid(stacks[k].top)) / 2 : mid(series.mean));
  });
  const places = dodge(ends, 13, top + 2, top + height);
  return panel.lines.flatMap(({ label, series, edges }, k): Shape[] => {
    const value = at === null ? null : series.mean[stretchAt(edges, at)];
    const said = at === null ? '' : value === null || value === undefined ? 'not known' : brief(value);
    const shapes: Shape[] = [];
    const tight = narrow && said !== '';
    if (label && !tight) shapes.push(text(right + 8, places[k] + 4, label, { ...NOTE, fill: 'var(--ink-2)' }));
    if (said)
      shapes.push(
        text(right + (label && !tight ? 8 + label.length * LETTER_PX.name + 6 : 8), places[k] + 4, said, {
          ...LIVE,
          ...HALO,
        }),
      );
    return shapes;
  });
}

function windowShapes(run: TimedRun, x: Scale, top: number, bottom: number, right: number): Shape[] {
  const [from, to] = run.contents.window_s;
  const shapes: Shape[] = [];
  const veil = { fill: 'var(--ground-3)', 'fill-opacity': 0.85 };
  if (from !== null && x(from) > LEFT) shapes.push(rect(LEFT, top, x(from) - LEFT, bottom - top, veil));
  if (to !== null && x(to) < right) shapes.push(rect(x(to), top, right - x(to), bottom - top, veil));
  return shapes;
}

function windowMarks(run: TimedRun, x: Scale, top: number, bottom: number): Shape[] {
  // a damaged log may have lost the records around its marks
  const [from, to] = run.contents.window_s.map((t) => (t !== null && x(t) < LEFT ? null : t));
  if (from !== null && to !== null && x(to) - x(from) < 170)
    return [
      ...[from, to].map((moment) =>
        line(x(moment), top, x(moment), bottom, { stroke: 'var(--line-3)', 'stroke-dasharray': '2 2' }),
      ),
      text((x(from) + x(to)) / 2, bottom + 32, 'window', { ...NOTE, ...MIDDLE }),
    ];
  const named: readonly (readonly [number | null, string])[] = [
    [from, 'window starts'],
    [to, 'window ends'],
  ];
  return named.flatMap(([moment, words], k) =>
    moment === null
      ? []
      : [
          line(x(moment), top, x(moment), bottom, { stroke: 'var(--line-3)', 'stroke-dasharray': '2 2' }),
          text(x(moment) + (k ? -4 : 4), bottom + 32, words, { ...NOTE, ...(k ? END : {}) }),
        ],
  );
}

/** The whole picture in a width; `at` is the moment under the crosshair. */
export function timeline(runs: readonly TimedRun[], width: number, at: number | null): Timeline {
  const panels = panelsOf(runs);
  const named = panels.some(({ lines }) => lines.some(({ label }) => label !== ''));
  const right = Math.max(LEFT + 80, width - (named ? (width < NARROW ? 88 : 148) : 64));
  const span = Math.max(1e-9, ...runs.map(({ contents }) => contents.edges_s.at(-1) ?? 0));
  const x = linear([0, span], [LEFT, right]);
  const tops: number[] = [];
  let next = HEAD;
  for (const { stacked } of panels) {
    tops.push(next);
    next += (stacked ? STACK : PANEL) + GAP;
  }
  const bottom = next - GAP;
  const step = niceStep(span / Math.max(2, (right - LEFT) / 90));
  const ticks = niceTicks(0, span, Math.max(2, Math.round((right - LEFT) / 90)));
  const digits = digitsOfStep(step);
  const alone = runs.length === 1;
  const shapes: Shape[] = [
    ...(alone
      ? panels.flatMap((panel, k) =>
          windowShapes(runs[0], x, tops[k], tops[k] + (panel.stacked ? STACK : PANEL), right),
        )
      : []),
    ...panels.flatMap((panel, k) => panelShapes(panel, tops[k], panel.stacked ? STACK : PANEL, x, right, at)),
    ...ticks.flatMap((t) => [
      line(x(t), bottom, x(t), bottom + 4, { stroke: 'var(--line-3)' }),
      text(
        x(t),
        bottom + 17,
        t
          .toFixed(Math.min(digits, 6))
          .replace(/(\.\d*?)0+$/, '$1')
          .replace(/\.$/, ''),
        {
          ...TICK,
          ...MIDDLE,
        },
      ),
    ]),
    text(right + 8, bottom + 17, 's', TICK),
    ...(alone ? windowMarks(runs[0], x, HEAD, bottom) : []),
  ];
  if (at !== null) shapes.push(line(x(at), HEAD, x(at), bottom, { stroke: 'var(--crosshair)', 'stroke-width': 1.5 }));
  return { shapes, height: bottom + FOOT, left: LEFT, right, time: x };
}
