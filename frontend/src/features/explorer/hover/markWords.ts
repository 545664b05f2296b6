// SPDX-License-Identifier: Apache-2.0
// What a cell's mark says where the pointer rests on it.
import { digitsFor, withHalf } from '../../../plots/number';
import type { Point } from '../../../state/layout';
import type { View } from '../../../state/view';
import { aside } from '../figure/lines';
import { namedSetting, unitAfter } from '../figure/messages';
import type { Scene } from '../scene';

/** How near to the middle of a mark, in pixels. */
const NEAR = 8;

function* places(scene: Scene): Generator<readonly [Point, number, number]> {
  const { view, frame, sampler } = scene;
  const { x, y, v } = frame;
  if (scene.upper?.marks) yield* scene.upper.marks(scene);
  else if (frame.heat && y && view.figure !== '3d') for (const p of view.points) yield [p, x(p.x), y(p.y)];
  const along = (p: Point) => x(view.layout.across === 'x' ? p.x : p.y);
  for (const each of sampler.series)
    for (const p of each.points) yield [p, along(p) + aside(view, frame, each, sampler.series), v(p.mean)];
}

/** Of one cell: setting, mean, half of its 95 % interval, runs. */
export function wordsOf({ layout, measure, values }: View, { x, y, n, mean, half, from }: Point): string {
  const settings = [layout.y && namedSetting(layout.y, y), layout.x && namedSetting(layout.x, x)].filter(Boolean);
  const said = withHalf(mean, half, digitsFor(values[1] - values[0]));
  const interval = said.half && ` ${said.half}${from === 'residuals' ? ' (pooled)' : ''}`;
  return `${settings.join(', ')}: ${said.mean}${interval ?? ''}${unitAfter(measure)}, n = ${n}`;
}

/** Setting, mean, half of its 95 % interval and runs of the nearest mark; empty where none is near. Pixels of the drawing. */
export function markWords(scene: Scene, px: number, py: number): string {
  let nearest = NEAR;
  let found: Point | null = null;
  for (const [point, X, Y] of places(scene)) {
    const distance = Math.hypot(X - px, Y - py);
    if (distance >= nearest) continue;
    nearest = distance;
    found = point;
  }
  return found ? wordsOf(scene.view, found) : '';
}
