// SPDX-License-Identifier: Apache-2.0
// The curve behind a recommendation, as a drawing.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { frameOf } from '../../../src/features/explorer/figure/frame';
import { cells } from '../../../src/features/explorer/figure/heat';
import { captionOf, FIGURE_HEIGHT, figureOf, figureShapes } from '../../../src/features/recommend/figure';
import { fileText } from '../../../src/plots/file';
import type { Shape } from '../../../src/plots/shapes';
import { fromQuery } from '../../../src/state/link';
import type { Place } from '../../../src/state/planned';
import { slicesOf, termsOf, viewOf } from '../../../src/state/view';
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
    expect(captionOf(question, eight(), slice.layout)).toMatch(/ring.*as good/);
  });

  it('has no ring without an answer, and is nothing where there is no room', () => {
    const none = figureShapes(
      question,
      eight({ best: null, answer: null, choices: [] }),
      slice.layout,
      'measured',
      420,
    );
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

describe('the curve of a balance', () => {
  const { question, slice } = posed(lab(), 'goal=balance');
  const answer = eight({ best: 2, indistinguishable: [] });

  it('is that of a trade, with the line between its ends', () => {
    const shapes = figureShapes(question, answer, slice.layout, 'measured', 420);
    const dotted = shapes.filter((s) => s.attributes['stroke-dasharray'] === '2 3');
    expect(dotted).toHaveLength(1);
    expect(captionOf(question, answer, slice.layout)).toMatch(/furthest from the dotted line/);
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

describe('the setting in the picture', () => {
  const slices = slicesOf(nfs(), catalogue);
  const { state } = fromQuery('', termsOf(nfs(), slices));
  const view = viewOf(nfs(), slices, state, null, false);
  const drawn = (best: Place | null) => cells({ ...view, best }, frameOf(view, view.values, 800, 600));

  it('wears a second square and the word, within the frame', () => {
    const shapes = drawn({ x: 10, y: 4500 });
    expect(words(shapes)).toEqual(['recommended']);
    const word = shapes.find((s) => s.text === 'recommended')?.attributes;
    expect(Number(word?.x)).toBeGreaterThan(frameOf(view, view.values, 800, 600).left + 39);
    expect(shapes.filter((s) => s.tag === 'rect' && s.attributes.width === 19)).toHaveLength(2);
  });

  it('is not there without an answer', () => {
    expect(words(drawn(null))).toEqual([]);
  });
});
