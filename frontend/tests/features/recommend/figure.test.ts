// SPDX-License-Identifier: Apache-2.0
// The curve behind a recommendation, as a drawing.
import { describe, expect, it } from 'vitest';
import { captionOf, FIGURE_HEIGHT, figureOf, figureShapes } from '../../../src/features/recommend/figure';
import { fileText } from '../../../src/plots/file';
import type { Shape } from '../../../src/plots/shapes';
import { nfs } from '../../published';
import { answered, candidate, eight, lab, posed } from './answers';

const TOKENS = new Proxy({}, { get: () => '#123456' }) as Record<string, string>;
const svg = (shapes: readonly Shape[], title: string): string =>
  fileText({ width: 420, height: FIGURE_HEIGHT, title, description: title, before: '', shapes, tokens: TOKENS });
const words = (shapes: readonly Shape[]): string[] => shapes.flatMap((s) => (s.text ? [s.text] : []));

describe('the curve over the delay', () => {
  const { question, slice } = posed(lab(), 'goal=throughput&atleast=throughput_mbps:150');
  const shapes = figureShapes(question, eight(), slice.layout, 'measured', 420);

  it('is this drawing', async () => {
    await expect(svg(shapes, 'across')).toMatchFileSnapshot('__snapshots__/across.svg');
  });

  it('rings the best and names it and what is joined to it, and the limit', () => {
    expect(shapes.filter((s) => s.tag === 'circle' && s.attributes.r === 8)).toHaveLength(1);
    expect(words(shapes)).toEqual(expect.arrayContaining(['MTU 1500, delay 40', 'MTU 1500, delay 10', 'at least 150']));
    expect(captionOf(question, eight(), slice.layout)).toMatch(/ring.*cannot be told apart/);
  });

  it('has no ring without an answer, and is nothing where there is no room', () => {
    const none = figureShapes(question, eight({ best: null, indistinguishable: [] }), slice.layout, 'measured', 420);
    expect(none.some((s) => s.tag === 'circle')).toBe(false);
    expect(figureShapes(question, eight(), slice.layout, 'measured', 40)).toEqual([]);
  });
});

describe('the curve of a trade', () => {
  const { question, slice } = posed(lab(), 'goal=trade&weigh=latency:0');

  it('is this drawing', async () => {
    const shapes = figureShapes(question, eight(), slice.layout, 'measured', 420);
    expect(figureOf(question, slice.layout)).toBe('trade');
    await expect(svg(shapes, 'trade')).toMatchFileSnapshot('__snapshots__/trade.svg');
  });
});

it('draws predictions without a kind', () => {
  const { question, slice } = posed(nfs(), 'goal=throughput');
  const found = answered([
    candidate({ mtu_bytes: 4500, delay_us: 10.24 }, { throughput_mbps: 206 }),
    candidate({ mtu_bytes: 4500, delay_us: 655.36 }, { throughput_mbps: 95 }),
  ]);
  const shapes = figureShapes(question, found, slice.layout, 'published', 420);
  expect(shapes.filter((s) => s.tag === 'circle')).toHaveLength(3);
  expect(svg(shapes, 'model')).not.toMatch(/NaN|undefined/);
});
