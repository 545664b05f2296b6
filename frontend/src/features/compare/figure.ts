// SPDX-License-Identifier: Apache-2.0
// Several experiments on shared axes, panel by panel, and below each panel the ratios with their intervals. No DOM.
import type { Kind } from '../../api/types';
import { dodge } from '../../plots/dodge';
import { brief, setting } from '../../plots/number';
import {
  decadeTicks,
  linear,
  log,
  makeScale,
  niceStep,
  niceTicks,
  paddedDomain,
  type Scale,
  spacingOf,
} from '../../plots/scale';
import {
  type Attributes,
  AXIS,
  END,
  HALO,
  line,
  MIDDLE,
  mark,
  NOTE,
  path,
  polyline,
  type Shape,
  TICK,
  text,
} from '../../plots/shapes';
import type { Panel, Point, Ratio } from './panels';

export interface Look {
  readonly letter: string;
  readonly kind: Kind;
}

export interface Axes {
  /** The names of both, for their definitions. */
  readonly of: { readonly measure: string; readonly x: string };
  /** `Throughput, Mb/s`. */
  readonly measure: string;
  /** `Delay, µs`. */
  readonly x: string;
  readonly preferLog: boolean;
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

const DASHES = ['', '6 3', '2 3', '8 3 2 3'];
const LEFT = 56;
const RIGHT = 28;
const TITLE = 30;
const PLOT = 150;
const BETWEEN = 26;
const RATIO = 84;
const FOOT = 46;
const HEAD = 24;
const WIDEST = 5;

export const MOST_PANELS = 24;

const dashed = (side: number): Attributes => (DASHES[side] ? { 'stroke-dasharray': DASHES[side] } : {});

/**
 * Dots are read against each other: the axis spans their intervals, and goes down to zero only if they keep two thirds of it. What cannot be
 * negative has no room below zero, though a t interval may reach there.
 */
function valueDomain(panels: readonly Panel[]): [number, number] {
  const summaries = panels.flatMap(({ lines }) => lines.flat()).map(({ summary }) => summary);
  const all = summaries.flatMap(({ mean, ci95 }) => [mean, ...(ci95 ?? [])]);
  const most = Math.max(...all);
  const bottom = summaries.every(({ mean }) => mean >= 0) ? 0 : Number.NEGATIVE_INFINITY;
  const least = Math.max(bottom, Math.min(...all));
  if (!(all.length > 0 && Number.isFinite(most - least))) return [0, 1];
  const low = least > 0 && least < most / 3 ? 0 : least;
  const step = niceStep((most - low || Math.abs(most) / 5 || 1) / 4);
  // values that are all the same get a step on each side
  const [from, to] = [Math.floor(low / step) * step, Math.ceil(most / step) * step];
  return from < to ? [from, to] : [Math.max(bottom, from - step), to + step];
}

/** Around 1, as wide as the ratios; an interval wider than fivefold is cut at the frame. */
function ratioDomain(panels: readonly Panel[]): [number, number] {
  const all = panels
    .flatMap(({ ratios }) => ratios.flat())
    .flatMap(({ ratio, interval }) => [ratio, ...(interval ?? [])]);
  const spread = Math.max(1.02, ...all.filter((v) => v > 0).map((v) => Math.max(v, 1 / v)));
  const own = panels.flatMap(({ ratios }) => ratios.flat()).filter(({ ratio }) => ratio > 0);
  const marks = Math.max(1.02, ...own.map(({ ratio }) => Math.max(ratio, 1 / ratio)));
  const bound = Math.max(marks * 1.1, Math.min(WIDEST, spread * 1.05));
  return [1 / bound, bound];
}

function ratioTicks([lo, hi]: readonly [number, number]): number[] {
  if (hi > 12) return [1, ...decadeTicks(lo, hi).filter((v) => v !== 1 && /^1/.test(v.toPrecision(1)))];
  if (hi > 1.9) return [0.1, 0.2, 0.5, 1, 2, 5, 10].filter((v) => v >= lo * 0.999 && v <= hi * 1.001);
  const step = niceStep((hi - 1) / 1.5);
  return [1 - step, 1, 1 + step].filter((v) => v >= lo && v <= hi);
}

function overlay(points: readonly Point[], side: number, look: Look, x: Scale, y: Scale, top: number): Shape[] {
  const within = (v: number): number => Math.max(top, Math.min(top + PLOT, v));
  const colour = `var(--kind-${look.kind})`;
  const shapes: Shape[] = [
    path(
      polyline(
        points.map((p) => x(p.x)),
        points.map((p) => y(p.summary.mean)),
      ),
      { stroke: 'var(--ink-2)', 'stroke-width': 1.3, ...dashed(side) },
    ),
  ];
  for (const { x: at, summary } of points) {
    const [px, py] = [x(at), y(summary.mean)];
    if (summary.ci95) {
      const [low, high] = [within(y(summary.ci95[0])), within(y(summary.ci95[1]))];
      shapes.push(line(px, low, px, high, { stroke: colour, 'stroke-width': 1.2 }));
      for (const end of [low, high]) shapes.push(line(px - 2.5, end, px + 2.5, end, { stroke: colour }));
    }
    const alone = summary.n < 2;
    shapes.push({
      ...mark(look.kind, px, py, 3.2, {
        fill: alone || look.kind === 'simulated' ? 'var(--ground)' : colour,
        stroke: colour,
        'stroke-width': 1.4,
      }),
      title: `${brief(at)}: ${brief(summary.mean)}${summary.ci95 ? `, 95 % ${brief(summary.ci95[0])} to ${brief(summary.ci95[1])}` : ''}, n = ${summary.n}`,
    });
  }
  return shapes;
}

function ratioMarks(ratios: readonly Ratio[], side: number, shift: number, x: Scale, y: Scale, frame: Place): Shape[] {
  const within = (v: number): number => Math.max(frame.top, Math.min(frame.top + RATIO, v));
  return ratios.flatMap(({ x: at, ratio, interval, resolved, n }) => {
    const px = x(at) + shift;
    const colour = resolved ? 'var(--ink)' : 'var(--line-3)';
    const shapes: Shape[] = [];
    if (interval)
      shapes.push(
        line(px, within(y(Math.max(interval[0], 1e-9))), px, within(y(interval[1])), {
          stroke: colour,
          'stroke-width': 1.2,
          ...dashed(side),
        }),
      );
    const py = y(ratio);
    if (py >= frame.top - 1 && py <= frame.top + RATIO + 1)
      shapes.push({
        ...path(`M${px} ${py - 3.6}L${px + 3.6} ${py}L${px} ${py + 3.6}L${px - 3.6} ${py}Z`, {
          fill: resolved ? 'var(--ink)' : 'var(--ground)',
          stroke: colour,
          'stroke-width': 1.3,
        }),
        title: `${brief(at)}: ratio ${brief(ratio)}${interval ? `, 95 % ${brief(interval[0])} to ${brief(interval[1])}` : ''}, n = ${n[0]} and ${n[1]}`,
      });
    return shapes;
  });
}

function apart(levels: readonly number[], x: Scale, room: number): number[] {
  let taken = Number.NEGATIVE_INFINITY;
  return levels.filter((level) => {
    if (x(level) - taken < room) return false;
    taken = x(level);
    return true;
  });
}

function letters(panel: Panel, looks: readonly Look[], x: Scale, y: Scale, top: number): Shape[] {
  const named = looks.flatMap(({ letter }, side) => {
    const last = panel.lines[side].at(-1);
    return last ? [{ letter, at: x(last.x), y: y(last.summary.mean) }] : [];
  });
  const end = Math.max(...named.map(({ at }) => at));
  // beside a line that ends early the others go on: its letter stands above it
  const places = dodge(
    named.map(({ at, y: py }) => (at < end ? py - 13 : py)),
    12,
    top,
    top + PLOT,
  );
  return named.map(({ letter, at }, k) =>
    text(at < end ? at : at + 9, places[k] + 4, letter, {
      ...NOTE,
      ...(at < end ? MIDDLE : {}),
      fill: 'var(--ink)',
      'font-weight': 600,
      ...HALO,
    }),
  );
}

interface Shared {
  readonly looks: readonly Look[];
  readonly axes: Axes;
  readonly levels: readonly number[];
  readonly values: readonly [number, number];
  /** Null where no panel has one: their strip is left out. */
  readonly ratios: readonly [number, number] | null;
}

const cellHeight = ({ ratios }: Shared): number => TITLE + PLOT + (ratios ? BETWEEN + RATIO : 0) + FOOT;

/** The strip below a panel: what each side after the first has, over the first. */
function ratioStrip(panel: Panel, letter: string, domain: readonly [number, number], x: Scale, frame: Place): Shape[] {
  const [left, right] = [frame.left + LEFT, frame.left + frame.width - RIGHT];
  const r = log(domain, [frame.top + RATIO, frame.top]);
  const several = panel.ratios.length > 1;
  return [
    ...ratioTicks(domain).flatMap((v) => [
      line(left, r(v), right, r(v), { stroke: v === 1 ? 'var(--line-3)' : 'var(--line)' }),
      text(left - 6, r(v) + 4, brief(v), { ...TICK, ...END }),
    ]),
    ...panel.ratios.flatMap((own, k) =>
      ratioMarks(own, several ? k + 1 : 0, several ? (k - (panel.ratios.length - 1) / 2) * 7 : 0, x, r, frame),
    ),
    text(left, frame.top - 8, `ratio to ${letter}`, { ...NOTE }),
  ];
}

function panelShapes(panel: Panel, title: string, place: Place, shared: Shared): Shape[] {
  const { looks, axes, levels, values, ratios } = shared;
  const [left, right] = [place.left + LEFT, place.left + place.width - RIGHT];
  const spacing = spacingOf(levels, axes.preferLog);
  const x = makeScale(levels, spacing, paddedDomain(levels, spacing, 0.05), [left, right]);
  const top = place.top + TITLE;
  const y = linear(values, [top + PLOT, top]);
  const frame = { ...place, top: top + PLOT + BETWEEN };
  const foot = ratios ? frame.top + RATIO : top + PLOT;
  return [
    text(place.left + LEFT, place.top + 18, title, { ...AXIS, 'font-weight': 600, fill: 'var(--ink)' }),
    ...niceTicks(values[0], values[1], 3).flatMap((v) => [
      line(left, y(v), right, y(v), { stroke: v === 0 ? 'var(--line-3)' : 'var(--line)' }),
      text(left - 6, y(v) + 4, brief(v), { ...TICK, ...END }),
    ]),
    ...panel.lines.flatMap((points, side) => overlay(points, side, looks[side], x, y, top)),
    ...letters(panel, looks, x, y, top),
    ...(ratios ? ratioStrip(panel, looks[0].letter, ratios, x, frame) : []),
    ...apart(levels, x, 34).flatMap((level) => [
      line(x(level), foot, x(level), foot + 4, { stroke: 'var(--line-3)' }),
      text(x(level), foot + 17, setting(level), { ...TICK, ...MIDDLE }),
    ]),
    text(right, foot + 33, axes.x, { ...NOTE, ...END, fill: 'var(--ink-2)', 'data-quantity': axes.of.x }),
  ];
}

/** Whether any setting is shared: without one there is nothing to divide. */
export const hasRatios = (panels: readonly Panel[]): boolean =>
  panels.some(({ ratios }) => ratios.some((own) => own.length > 0));

/** All panels in as many columns as the width has room for. */
export function compareShapes(
  panels: readonly Panel[],
  titles: readonly string[],
  looks: readonly Look[],
  axes: Axes,
  width: number,
): { shapes: Shape[]; height: number } {
  const shown = panels.slice(0, MOST_PANELS);
  const most = Math.max(1, Math.min(shown.length, Math.floor(width / 320), 4));
  // rows of alike length: four panels are two and two, not three and one
  const columns = Math.ceil(shown.length / Math.ceil(shown.length / most));
  const each = width / columns;
  const levels = [...new Set(shown.flatMap(({ lines }) => lines.flat().map(({ x }) => x)))].sort((a, b) => a - b);
  const ratios = hasRatios(shown) ? ratioDomain(shown) : null;
  const shared: Shared = { looks, axes, levels, values: valueDomain(shown), ratios };
  const height = cellHeight(shared);
  const [floor] = shared.values;
  const measure = floor === 0 ? axes.measure : `${axes.measure}, axis from ${brief(floor)}`;
  const shapes = [
    text(0, 14, measure, { ...AXIS, 'font-weight': 600, fill: 'var(--ink)', 'data-quantity': axes.of.measure }),
    ...shown.flatMap((panel, k) =>
      panelShapes(
        panel,
        titles[k],
        { left: (k % columns) * each, top: HEAD + Math.floor(k / columns) * height, width: each },
        shared,
      ),
    ),
  ];
  return { shapes, height: HEAD + Math.ceil(shown.length / columns) * height };
}
