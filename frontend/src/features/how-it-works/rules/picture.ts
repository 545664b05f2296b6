// SPDX-License-Identifier: Apache-2.0
// A moment of a rule's replay as shapes. No DOM.
import { brief } from '../../../plots/number';
import { END, HALO, line, NOTE, path, type Shape, TICK, text } from '../../../plots/shapes';
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
} from '../lane';
import { upTo } from '../simulation/record';
import { type Bar, type Lane, type Replay, type Step, type Tone, until } from './rule';

const FILLS: Readonly<Record<Tone, string>> = {
  packet: 'var(--cost-packet)',
  interrupt: 'var(--cost-interrupt)',
  idle: 'var(--line-2)',
  sleep: 'var(--mtu-1)',
};
/** Room for the number of a mark. */
const ROOM = 30;

const laneHeight = ({ waits, steps }: Lane): number => (waits ? 56 : steps ? 26 : 22);
const placesOf = ({ lanes }: Replay): readonly Place[] => stacked(lanes.map(laneHeight));
export const heightOfReplay = (replay: Replay): number => heightOf(placesOf(replay));

/** What of a list by rising time falls into the picture, with one before it. */
const shown = <T>(list: readonly T[], time: (item: T) => number, f: View): readonly T[] =>
  list.slice(Math.max(0, upTo(list, time, f.from) - 1), upTo(list, time, f.now_us));

function barShapes(bars: readonly Bar[], { top, bottom }: Place, f: View): Shape[] {
  const d: Partial<Record<Tone, string>> = {};
  for (const bar of shown(bars, (b) => b.start_us, f)) {
    if (bar.end_us <= Math.max(bar.start_us, f.from)) continue;
    const own = box(Math.max(0, f.x(bar.start_us)), f.x(Math.min(bar.end_us, f.now_us)), top, bottom);
    d[bar.tone] = (d[bar.tone] ?? '') + own;
  }
  return Object.entries(d).map(([tone, own]) => path(own, { fill: FILLS[tone as Tone] }));
}

function markShapes({ t_us, label }: NonNullable<Lane['marks']>, { top, bottom }: Place, f: View): Shape[] {
  const [from, to] = [until(t_us, f.from), until(t_us, f.now_us)];
  const room = f.crosshair / Math.max(1, to - from);
  let d = '';
  const labels: Shape[] = [];
  for (let k = from; k < to; k++) {
    const x = f.x(t_us[k]);
    d += `M${rounded(x)} ${bottom}V${top}`;
    if (label && room > ROOM) labels.push(text(x + 5, bottom - 6, label(k), { ...TICK, ...HALO, 'font-weight': 600 }));
  }
  return [path(d, { stroke: 'var(--ink)', 'stroke-width': 2 }), ...labels];
}

function waitShapes({ from_us, to_us }: NonNullable<Lane['waits']>, { top, bottom }: Place, f: View): Shape[] {
  let d = '';
  const arrived = until(from_us, f.now_us);
  for (let k = until(to_us, f.from); k < arrived; k++) {
    const told = to_us[k] <= f.now_us;
    const end = told ? bottom : rounded(sunk(f, from_us[k], top, bottom));
    d += `M${rounded(f.x(from_us[k]))} ${top}L${rounded(f.x(told ? to_us[k] : f.now_us))} ${end}`;
  }
  const ends = f.narrow ? [] : [text(f.width, top + 12, 'arrived', { ...NOTE, ...HALO, ...END })];
  return [
    line(0, top, f.width, top, { stroke: 'var(--line-2)' }),
    path(d, { stroke: 'var(--mtu-2)', 'stroke-width': 1.25 }),
    ...ends,
  ];
}

function stepShapes(steps: readonly Step[], { top, bottom }: Place, f: View): Shape[] {
  const own = shown(steps, (step) => step.t_us, f);
  if (own.length === 0) return [];
  const most = own.reduce((highest, { value }) => Math.max(highest, value), 1e-9);
  const y = (value: number): number => rounded(bottom - ((bottom - top) * value) / most);
  let d = `M${rounded(Math.max(0, f.x(own[0].t_us)))} ${bottom}`;
  for (const { t_us, value } of own) d += `H${rounded(Math.max(0, f.x(t_us)))}V${y(value)}`;
  return [
    path(`${d}H${f.crosshair}V${bottom}Z`, { fill: 'var(--cost-byte)' }),
    text(f.width, top + 8, f.narrow ? '' : brief(most, 3), { ...NOTE, ...HALO, ...END }),
  ];
}

export function pictureOfReplay(
  replay: Replay,
  now_us: number,
  width: number,
): { readonly shapes: readonly Shape[]; readonly us_per_px: number } {
  const f = viewOf(replay.span_us, now_us, width);
  const places = placesOf(replay);
  const height = heightOf(places);
  const shapes = replay.lanes.flatMap((lane, k) => [
    ...titled(places[k], lane.title, f.narrow ? '' : lane.now(now_us)),
    ...(lane.bars ? barShapes(lane.bars, places[k], f) : []),
    ...(lane.steps ? stepShapes(lane.steps, places[k], f) : []),
    ...(lane.waits ? waitShapes(lane.waits, places[k], f) : []),
    ...(lane.marks ? markShapes(lane.marks, places[k], f) : []),
    floor(f, places[k]),
  ]);
  return { shapes: [...axis(f, height), ...shapes, ...crosshair(f, height)], us_per_px: f.us_per_px };
}
