// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../../src/engine/catalogue';
import { SMALL_HEIGHT, smallNeedle, smallShapes } from '../../../../src/features/explorer/facets/small';
import { shapeText } from '../../../../src/plots/file';
import type { Shape } from '../../../../src/plots/shapes';
import { slicesOf } from '../../../../src/state/dataSlice';
import { fromQuery } from '../../../../src/state/link';
import type { Subject } from '../../../../src/state/subject';
import { viewOf } from '../../../../src/state/view';
import { schemaOf } from '../../../../src/state/viewSchema';
import { bench } from '../../../designs';
import { dillon, nfs } from '../../../published';

function looked(subject: Subject, query: string) {
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(query, schemaOf(subject, slices));
  return { view: viewOf(subject, slices, state, null, false), state };
}

const TOKENS = new Proxy({}, { get: () => '#123456' }) as Record<string, string>;
const svg = (shapes: readonly Shape[]): string => shapes.map((s) => shapeText(s, TOKENS)).join('\n');
const numbers = (shape: Shape, name: string): number => Number(shape.attributes[name]);

describe('small multiples', () => {
  it('of lines put the same value at the same height in each', () => {
    const { view } = looked(nfs(), 'facet=mtu_bytes');
    const marks = view.facets.map((f) => smallShapes(view, f, 140).filter((s) => s.tag === 'path'));
    expect(marks.map((m) => m.length)).toEqual([10, 10, 10]);
    expect(svg(marks.flat())).not.toMatch(/NaN|Infinity|undefined/);
    // 1500 costs more than 4500 everywhere: its line is higher
    const first = (k: number): number => Number(/M[\d.]+[ ,]([\d.]+)/.exec(String(marks[k][0].attributes.d))?.[1]);
    expect(first(0)).toBeLessThan(first(2));
  });

  it('of planes are tiles that fill the frame, coloured by one scale', () => {
    const { view } = looked(bench(), 'y=driver_version&facet=napi_weight');
    for (const facet of view.facets) {
      const tiles = smallShapes(view, facet, 160);
      expect(tiles).toHaveLength(facet.points.length);
      expect(svg(tiles)).not.toMatch(/NaN|Infinity|undefined/);
      for (const tile of tiles) {
        expect(numbers(tile, 'x')).toBeGreaterThanOrEqual(0);
        expect(numbers(tile, 'x') + numbers(tile, 'width')).toBeLessThanOrEqual(160.01);
        expect(numbers(tile, 'y') + numbers(tile, 'height')).toBeLessThanOrEqual(SMALL_HEIGHT + 0.01);
      }
    }
  });

  it('carry the crosshair of the picture', () => {
    const { view, state } = looked(dillon(), 'facet=workload&delay_us=0');
    const [crosshair] = smallNeedle(view, state, 140);
    expect(numbers(crosshair, 'x1')).toBeGreaterThan(0);
    expect(numbers(crosshair, 'x1')).toBeLessThan(30);
  });
});
