// SPDX-License-Identifier: Apache-2.0
// The box that a surface stands in, seen from aside: how it fills its room, floor and far walls, axes along the near edges.
import { decimal } from '../../../plots/number';
import { AXIS, HALO, LETTER_PX, line, path, type Shape, TICK, text } from '../../../plots/shapes';
import { type Camera, cameraOf } from '../../../plots/surface3d';
import type { Axis } from '../../../state/layout';
import { type Frame, labelledLevels, labelRoom, tickWords } from './frame';
import type { MainChartScene } from './mainChart';
import { axisTitle, shortName, upwardTitle } from './messages';

/** Places of the plane within the box: as far along and as high as in the flat plots. */
export interface Places {
  u(x: number): number;
  v(y: number): number;
  h(value: number): number;
}

export function placesOf(frame: Frame): Places {
  const { heat, left, plotWidth, lines } = frame;
  const y = frame.y;
  return {
    u: (value) => (frame.x(value) - left) / plotWidth,
    v: (value) => (y && heat ? (heat.top + heat.height - y(value)) / heat.height : 0.5),
    h: (value) => (lines.top + lines.height - frame.v(value)) / lines.height,
  };
}

const valueWords = (value: number, { logValues, tickDigits }: Frame): string =>
  decimal(value, logValues ? (value < 1 ? tickDigits : 0) : tickDigits);

/** Beside the box there is room for the longest label, wherever a turn brings it. */
function sideOf({ view, frame }: MainChartScene): number {
  const { x, y } = view.layout;
  const words = [x, y].flatMap((axis) => axis?.levels.map((level) => tickWords(axis, level)) ?? []);
  const longest = Math.max(...[...words, ...frame.valueTicks.map((v) => valueWords(v, frame))].map((w) => w.length));
  return Math.min(12 + longest * LETTER_PX.digit, frame.width / 5);
}

export function cameraFor(scene: MainChartScene): Camera {
  const { frame, live } = scene;
  const [top, height, side] = [frame.heat?.top ?? 0, frame.heat?.height ?? 0, sideOf(scene)];
  return cameraOf(live.state.turn, { left: side, top: top + 6, width: frame.width - 2 * side, height: height - 44 });
}

interface Edge {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** Away from the floor. */
  readonly out: readonly [number, number];
}

/** A near edge of the floor on the screen, and which way is outwards. */
function edgeOf(camera: Camera, a: readonly [number, number], b: readonly [number, number]): Edge {
  const at = ([u, v]: readonly [number, number]): [number, number] => [camera.x(u, v), camera.y(u, v, 0)];
  const [from, to, middle] = [at(a), at(b), at([0.5, 0.5])];
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const side = dx * (middle[1] - from[1]) - dy * (middle[0] - from[0]) > 0 ? 1 : -1;
  return { from, to, out: [(side * dy) / length, (-side * dx) / length] };
}

const anchorOf = (along: number): string => (along > 0.35 ? 'start' : along < -0.35 ? 'end' : 'middle');

/** The longest title that stays on the picture without being pushed over the axis's labels. */
function titleWithin(axis: Axis, phone: boolean, room: number): string {
  const name = shortName(axis);
  const titles = [...(phone ? [] : [axisTitle(axis)]), axisTitle(axis, true), upwardTitle(axis, false), name];
  return titles.find((title) => title.length * LETTER_PX.sentence <= room) ?? name;
}

function floorAxis(axis: Axis, edge: Edge, place: (v: number) => number, frame: Frame): Shape[] {
  const { from, to, out } = edge;
  const at = (v: number): [number, number] => [
    from[0] + (to[0] - from[0]) * place(v),
    from[1] + (to[1] - from[1]) * place(v),
  ];
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const [cos, sin] = [Math.abs(to[0] - from[0]) / length, Math.abs(to[1] - from[1]) / length];
  // along a slope two labels clear each other sideways or up, whichever is sooner
  const room = (v: number): number => Math.min(labelRoom(axis)(v) / Math.max(cos, 1e-6), 14 / Math.max(sin, 1e-6));
  const labelled = labelledLevels(axis.levels, (v) => place(v) * length, room);
  const shapes = axis.levels.flatMap((level): Shape[] => {
    const [x, y] = at(level);
    const tick = line(x, y, x + 5 * out[0], y + 5 * out[1], { stroke: 'var(--line-3)' });
    if (!labelled.includes(level)) return [tick];
    return [
      tick,
      text(x + 9 * out[0], y + 9 * out[1], tickWords(axis, level), {
        'text-anchor': anchorOf(out[0]),
        dy: `${(0.36 + 0.4 * out[1]).toFixed(2)}em`,
        ...TICK,
      }),
    ];
  });
  const [mx, my] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const far = 26 + 14 * Math.abs(out[0]);
  // to the side on which the edge rises: the title keeps clear of the labels
  const side = out[0] < -0.06 ? 'end' : out[0] > 0.06 ? 'start' : 'middle';
  const x = mx + far * out[0];
  const left = side === 'end' ? x : side === 'start' ? frame.width - x : 2 * Math.min(x, frame.width - x);
  const title = titleWithin(axis, frame.phone, left);
  shapes.push(
    text(x, my + far * out[1] + 4, title, {
      ...AXIS,
      'text-anchor': side,
      ...HALO,
      'data-quantity': axis.name,
    }),
  );
  return shapes;
}

/** Floor and far walls with the settings and the round values on them, the axes along the near edges. */
export function boxShapes(scene: MainChartScene, camera: Camera, places: Places): { back: Shape[]; axes: Shape[] } {
  const { view, frame } = scene;
  const { x, y } = view.layout;
  if (!x || !y) return { back: [], axes: [] };
  const { farU, farV } = camera;
  const [nearU, nearV] = [1 - farU, 1 - farV];
  const at = (u: number, v: number, h: number): string =>
    `${camera.x(u, v).toFixed(1)} ${camera.y(u, v, h).toFixed(1)}`;
  const back: Shape[] = [
    path(`M${at(0, 0, 0)}L${at(1, 0, 0)}L${at(1, 1, 0)}L${at(0, 1, 0)}Z`, {
      fill: 'var(--ground-2)',
      stroke: 'var(--line-2)',
    }),
  ];
  let settings = '';
  for (const level of x.levels) settings += `M${at(places.u(level), 0, 0)}L${at(places.u(level), 1, 0)}`;
  for (const level of y.levels) settings += `M${at(0, places.v(level), 0)}L${at(1, places.v(level), 0)}`;
  let rounds = '';
  for (const v of frame.valueTicks) {
    const h = places.h(v);
    rounds += `M${at(nearU, farV, h)}L${at(farU, farV, h)}L${at(farU, nearV, h)}`;
  }
  back.push(path(settings, { stroke: 'var(--line)' }), path(rounds, { stroke: 'var(--line)' }));
  const walls = `M${at(nearU, farV, 0)}L${at(nearU, farV, 1)}L${at(farU, farV, 1)}L${at(farU, nearV, 1)}L${at(farU, nearV, 0)}M${at(farU, farV, 0)}L${at(farU, farV, 1)}`;
  back.push(path(walls, { stroke: 'var(--line-2)' }));
  const axes = [
    ...floorAxis(x, edgeOf(camera, [0, nearV], [1, nearV]), places.u, frame),
    ...floorAxis(y, edgeOf(camera, [nearU, 0], [nearU, 1]), places.v, frame),
  ];
  // the values stand at the upright edge that is leftmost
  const [u, v] = camera.x(nearU, farV) < camera.x(farU, nearV) ? [nearU, farV] : [farU, nearV];
  const X = camera.x(u, v);
  for (const value of frame.valueTicks) {
    const Y = camera.y(u, v, places.h(value));
    axes.push(line(X - 5, Y, X, Y, { stroke: 'var(--line-3)' }));
    axes.push(
      text(X - 8, Y, valueWords(value, frame), {
        dy: '0.32em',
        'text-anchor': 'end',
        ...TICK,
      }),
    );
  }
  return { back, axes };
}
