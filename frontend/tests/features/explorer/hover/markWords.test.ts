// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../../src/engine/catalogue';
import { cameraFor, placesOf } from '../../../../src/features/explorer/figure/box3d';
import { frameOf } from '../../../../src/features/explorer/figure/frame';
import { seriesOf } from '../../../../src/features/explorer/figure/live';
import { relief } from '../../../../src/features/explorer/figure/surface3d';
import { markWords } from '../../../../src/features/explorer/hover/markWords';
import type { Scene } from '../../../../src/features/explorer/scene';
import { slicesOf } from '../../../../src/state/dataSlice';
import { START_TURN } from '../../../../src/state/figure';
import { fromQuery } from '../../../../src/state/link';
import type { Subject } from '../../../../src/state/subject';
import { viewOf } from '../../../../src/state/view';
import { schemaOf } from '../../../../src/state/viewSchema';
import { designed } from '../../../designs';
import { nfs } from '../../../published';

function sceneOf(subject: Subject, query = ''): Scene {
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(query, schemaOf(subject, slices));
  const view = viewOf(subject, slices, state, null, false);
  const sampler = { series: seriesOf(view, state, slices) };
  return { view, sampler, frame: frameOf(view, view.values, 800, 700) } as unknown as Scene;
}

describe('where the pointer rests', () => {
  const levels = { mtu_bytes: [1500, 3000, 9000], delay_us: [10, 40, 160, 640] };
  const scene = sceneOf(designed('bench', levels, ['latency_us'], 10));
  const { view, frame, sampler } = scene;
  const y = frame.y as (value: number) => number;

  it('each mark of the map says its setting, its mean with half its interval, and its runs', () => {
    expect(view.points).toHaveLength(12);
    for (const p of view.points) {
      const words = markWords(scene, frame.x(p.x) + 3, y(p.y) - 3);
      expect(words).toMatch(new RegExp(`^MTU ${p.y}, delay ${p.x}: [\\d.]+ ± [\\d.]+ µs, n = 10$`));
    }
  });

  it('so do the points of the lines', () => {
    const [{ points }] = sampler.series;
    const words = points.map((p) => markWords(scene, frame.x(p.x), frame.v(p.mean)));
    expect(words.every((each) => /^MTU 1500, delay \d+: .* ± .*, n = 10$/.test(each))).toBe(true);
    expect(new Set(words).size).toBe(points.length);
  });

  it('so do the cells that are seen from aside, wherever the turn brings them', () => {
    const turned = sceneOf(designed('bench', levels, ['latency_us'], 10), 'view=3d');
    const scene3d = { ...turned, live: { state: { turn: START_TURN } }, upper: relief } as unknown as Scene;
    const [camera, { u, v, h }] = [cameraFor(scene3d), placesOf(scene3d.frame)];
    expect(scene3d.view.figure).toBe('3d');
    const words = scene3d.view.points.map((p) =>
      markWords(scene3d, camera.x(u(p.x), v(p.y)), camera.y(u(p.x), v(p.y), h(p.mean))),
    );
    expect(words.every((each) => /^MTU \d+, delay \d+: .* ± .*, n = 10$/.test(each))).toBe(true);
    expect(new Set(words).size).toBe(12);
  });

  it('nothing is said between the marks', () => {
    const [a, b] = view.points;
    expect(markWords(scene, (frame.x(a.x) + frame.x(b.x)) / 2, y(a.y))).toBe('');
  });

  it('without an interval the mean and the runs are said', () => {
    const single = sceneOf(nfs(), 'model=none');
    const [p] = single.view.points;
    const words = markWords(single, single.frame.x(p.x), (single.frame.y as (value: number) => number)(p.y));
    expect(p.half).toBeNull();
    expect(words).toBe(`MTU 1500, delay 10: 1558 jiffies, n = ${p.n}`);
  });
});
