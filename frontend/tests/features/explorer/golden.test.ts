// SPDX-License-Identifier: Apache-2.0
// One drawing of each kind of figure, as text: a change of what is drawn is a change of a file that can be read line by line.
// `npx vitest run tests/features/explorer/golden -u` writes them anew.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { liveShapes, stillShapes } from '../../../src/features/explorer/chartRenderer';
import { facetSheet } from '../../../src/features/explorer/facets/sheet';
import { contrastedCells } from '../../../src/features/explorer/figure/contrast';
import { frameOf } from '../../../src/features/explorer/figure/frame';
import { reachesBeyond } from '../../../src/features/explorer/figure/heat';
import { GRID, samplerOf, seriesOf } from '../../../src/features/explorer/figure/live';
import { MAIN_CHARTS } from '../../../src/features/explorer/figure/mainCharts';
import { labelPlace } from '../../../src/features/explorer/figure/names';
import { patternText } from '../../../src/features/explorer/figure/patterns';
import { comparisonOf, residualShapes } from '../../../src/features/explorer/figure/residuals';
import { splitShapes } from '../../../src/features/explorer/figure/split';
import { ALONG_HEIGHT, alongOf, alongShapes, topAbove } from '../../../src/features/explorer/figure/splitAlong';
import type { Scene } from '../../../src/features/explorer/scene';
import { isolines, trace } from '../../../src/plots/contours';
import { fileText } from '../../../src/plots/file';
import type { Shape } from '../../../src/plots/shapes';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import { prepare } from '../../../src/state/prediction';
import type { ExperimentSubject, Subject } from '../../../src/state/subject';
import { viewOf } from '../../../src/state/view';
import { schemaOf } from '../../../src/state/viewSchema';
import { bench } from '../../designs';
import { nfs, paperFit, points } from '../../published';
import { sheet as inLight, LIGHT, rounded } from '../../tokens';

const SIZE = [520, 460] as const;

const sheet = (title: string, shapes: readonly Shape[], size: readonly [number, number] = SIZE): string =>
  inLight(title, shapes, size, `<defs>${patternText()}</defs>`);

function sceneOf(subject: Subject, query: string, other: ExperimentSubject | null = null): Scene {
  const slices = slicesOf(subject, catalogue);
  const { state, rejected } = fromQuery(query, schemaOf(subject, slices));
  expect(rejected).toEqual([]);
  const fit = subject.of === 'experiment' ? paperFit() : null;
  const view = viewOf(subject, slices, state, fit, false, other);
  const frame = frameOf(view, view.values, ...SIZE);
  const sampler = samplerOf(view, frame, seriesOf(view, state, slices), state.frames);
  const live = sampler.live(state);
  const lines = isolines(view.contours);
  if (live.z) trace(live.z, GRID, GRID, lines);
  const namesAt = labelPlace(view, frame, live, sampler.lineXs, 0);
  const upper = view.figure === 'map' ? null : MAIN_CHARTS[view.figure];
  return { view, frame, sampler, live, isolines: lines, namesAt, upper };
}

/** Every layer of the picture, from the bottom up; of a 3D surface one facet in eight, so that the file can be read. */
function picture(scene: Scene): Shape[] {
  const still = stillShapes(scene.view, scene.frame, scene.sampler);
  const live = liveShapes(scene);
  const painted = (scene.upper?.painted?.(scene) ?? []).filter((_, k) => k % 8 === 0);
  const { behind, under = [], cells = [] } = live;
  return [
    ...behind,
    ...painted,
    ...still.under,
    ...under,
    ...live.contours,
    ...still.grid,
    ...live.hairs,
    ...still.cells,
    ...cells,
    ...live.curves,
    ...still.points,
    ...live.names,
    ...still.axes,
    ...live.crosshair,
  ];
}

const windowed = (): Subject => {
  const model = catalogue.models.find((m) => m.id === 'receive-windowed');
  if (!model) throw new Error('the model that names its limits is gone');
  return { of: 'model', model };
};

/** The same cells, each a tenth dearer, with intervals: as a second experiment. */
function dearer(): ExperimentSubject {
  const { experiment, cells } = nfs();
  return {
    of: 'experiment',
    experiment: { ...experiment, slug: 'dearer', title: 'Dearer', kind: 'measured' },
    cells: cells.map((cell, k) => {
      const cost = cell.measures.system_cpu_jiffies_per_gb;
      const mean = cost.mean * (k % 3 === 0 ? 1.002 : 1.1);
      const half = 0.01 * mean;
      const summary = { ...cost, n: 10, mean, sd: half, ci95: [mean - half, mean + half] as [number, number] };
      return { ...cell, measures: { system_cpu_jiffies_per_gb: summary } };
    }),
  };
}

describe('golden drawings', () => {
  const figures: readonly [string, () => Scene, string][] = [
    ['map', () => sceneOf(nfs(), ''), 'map'],
    ['cells', () => sceneOf(nfs(), 'surface=cells'), 'map'],
    ['line', () => sceneOf(points(), 'measure=throughput_mbps&model=none'), 'map'],
    ['3d', () => sceneOf(nfs(), 'view=3d'), '3d'],
    ['residuals', () => sceneOf(nfs(), 'view=residuals&gamma=1.25'), 'residuals'],
    ['difference', () => sceneOf(dearer(), 'view=difference&contrast=ratio', nfs()), 'difference'],
    ['limits', () => sceneOf(windowed(), 'view=limits'), 'limits'],
  ];

  it.each(figures)('%s', async (name, scene, figure) => {
    const drawn = scene();
    expect(drawn.view.figure).toBe(figure);
    const text = sheet(name, picture(drawn));
    expect(text).not.toMatch(/NaN|Infinity|undefined|var\(/);
    await expect(text).toMatchFileSnapshot(`golden/${name}.svg`);
  });

  it('sets that are pinned, dashed beside the current one', async () => {
    const query = 'gamma=1.3&pin=Fit*alpha:0.813,beta:0.266,gamma:1.11&pin=Dear*alpha:0.9,beta:0.3,gamma:1.2';
    const scene = sceneOf(nfs(), query);
    const { pinned, pinnedContours } = stillShapes(scene.view, scene.frame, scene.sampler);
    const text = sheet('pinned', [...pinnedContours, ...pinned]);
    expect(text).not.toMatch(/NaN|Infinity|undefined|var\(/);
    await expect(text).toMatchFileSnapshot('golden/pinned.svg');
  });

  it('the cost along the delay', async () => {
    const { view, live } = sceneOf(nfs(), '');
    const { binding } = view;
    if (!view.layout.x || !binding) throw new Error('the model is not bound');
    const along = alongOf(view.layout.x, 304);
    const through = prepare(binding, along.samples, [3000], live.state.frames);
    const parts = binding.parts.map((part) => through.evaluate(part, live.theta));
    const shapes = alongShapes(along, parts, 80, topAbove(1500), 304);
    await expect(sheet('cost along the delay', shapes, [304, ALONG_HEIGHT])).toMatchFileSnapshot('golden/along.svg');
  });

  it('the panel’s residuals', async () => {
    const { view, live } = sceneOf(nfs(), '');
    const comparison = comparisonOf(view, 'counted');
    if (!comparison) throw new Error('the model is not bound');
    const shapes = residualShapes(view, comparison, comparison.predictions(live.theta), live.place, 304, new Map());
    await expect(sheet('residuals of the panel', shapes, [304, 86])).toMatchFileSnapshot('golden/strip.svg');
  });

  it('facets of a file: all panels, on one scale', async () => {
    for (const [name, scene] of [
      ['facets-of-lines', sceneOf(nfs(), 'facet=mtu_bytes')],
      ['facets-of-planes', sceneOf(bench(), 'y=driver_version&facet=napi_weight')],
    ] as const) {
      const { markup, height } = facetSheet(scene.view, scene.live.state, 360, LIGHT);
      const text = rounded(
        fileText({ width: 360, height, title: name, description: name, before: markup, shapes: [], tokens: LIGHT }),
      );
      expect(text.match(/<svg x=/g)).toHaveLength(scene.view.facets.length);
      expect(text).not.toMatch(/NaN|Infinity|undefined|var\(/);
      await expect(text).toMatchFileSnapshot(`golden/${name}.svg`);
    }
    const { view, live } = sceneOf(nfs(), '');
    expect(facetSheet(view, live.state, 360, LIGHT)).toEqual({ markup: '', height: 0 });
  });

  it('the panel’s cost split', async () => {
    const shapes = splitShapes(
      { total: 1118, parts: [813, 115, 190] },
      { total: 1557, parts: [813, 202, 542] },
      'MTU 1500, delay 10: 1557',
      0,
      304,
    );
    const tokens = sheet('cost split', shapes, [304, 92]);
    await expect(tokens).toMatchFileSnapshot('golden/split.svg');
  });
});

it('compares nothing with a model whose fit is on its way', () => {
  const subject = nfs();
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery('view=residuals&surface=cells', schemaOf(subject, slices));
  const live = { state, theta: { alpha: 0.8, beta: 0.3, gamma: 1.1 } };
  expect(contrastedCells(viewOf(subject, slices, state, null, true), live)).toEqual([]);
  expect(contrastedCells(viewOf(subject, slices, state, paperFit(), false), live)).toHaveLength(27);
});

it('3D: a turn shows the same surface from another side', () => {
  const painted = (turn: string): readonly Shape[] => {
    const scene = sceneOf(nfs(), `view=3d&turn=${turn}`);
    return scene.upper?.painted?.(scene) ?? [];
  };
  const [a, b] = [painted('-32,26'), painted('60,40')];
  expect(a.length).toBeGreaterThan(500);
  expect(a).not.toEqual(b);
  expect(new Set(a.map((s) => s.attributes.fill))).toEqual(new Set(b.map((s) => s.attributes.fill)));
});

it('3D: hatches what lies beyond the cells of the measure, and nothing where every setting has one', () => {
  const hatched = (scene: Scene): number =>
    (scene.upper?.painted?.(scene) ?? []).filter((s) => s.attributes.fill === 'url(#hatch)').length;
  const few = sceneOf(points(), 'measure=throughput_mbps&workload=udp&view=3d&model=link-bound');
  // settings up to 960, throughput up to 160
  expect(few.view.layout.x?.levels.at(-1)).toBe(960);
  expect(Math.max(...few.view.points.map((p) => p.x))).toBe(160);
  expect(hatched(few)).toBeGreaterThan(0);
  expect(reachesBeyond(few.view)).toBe(true);
  const all = sceneOf(nfs(), 'view=3d');
  expect(hatched(all)).toBe(0);
  expect(reachesBeyond(all.view)).toBe(false);
});
