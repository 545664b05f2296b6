// SPDX-License-Identifier: Apache-2.0
// The curve behind a recommendation, as a drawing.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { frameOf } from '../../../src/features/explorer/figure/frame';
import { cells } from '../../../src/features/explorer/figure/heat';
import { captionOf, FIGURE_HEIGHT, figureOf, figureShapes, titleOf } from '../../../src/features/recommend/figure';
import { fileText } from '../../../src/plots/file';
import type { Shape } from '../../../src/plots/shapes';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import type { Place } from '../../../src/state/planned';
import { viewOf } from '../../../src/state/view';
import { schemaOf } from '../../../src/state/viewSchema';
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

  it('boxes the answer and what is as good, names them, and draws the limit', () => {
    const boxes = shapes.filter((s) => s.tag === 'rect' && s.attributes.fill === 'none');
    expect(boxes.map((s) => s.attributes['stroke-width']).sort()).toEqual([1, 2.5]);
    expect(words(shapes)).toEqual(expect.arrayContaining(['MTU 1500, delay 40', 'MTU 1500, delay 10', 'at least 150']));
    expect(captionOf(question, eight(), slice.layout)).toMatch(/Bold box: the answer\. Thin boxes: as good\. Hollow/);
  });

  it('rings what the answer is compared with', () => {
    const compared = eight({ reference: { mtu_bytes: 9000, delay_us: 100, workload: 'tcp' } });
    const ringed = figureShapes(question, compared, slice.layout, 'measured', 420);
    expect(ringed.filter((s) => s.tag === 'circle' && s.attributes.r === 8)).toHaveLength(1);
    expect(captionOf(question, compared, slice.layout)).toMatch(/Ring: what it is compared with/);
  });

  it('boxes nothing without an answer, and is nothing where there is no room', () => {
    const none = figureShapes(question, eight({ answer: null, choices: [] }), slice.layout, 'measured', 420);
    expect(none.some((s) => s.tag === 'rect' && s.attributes.fill === 'none')).toBe(false);
    expect(figureShapes(question, eight(), slice.layout, 'measured', 40)).toEqual([]);
  });
});

describe('the curve of a cost with a guard', () => {
  const { question, slice } = posed(lab(), 'goal=cpu');
  const guarded = eight({ guards: [{ measure: 'throughput_mbps', limit: 'within', value: 5 }] });
  const shapes = figureShapes(question, guarded, slice.layout, 'measured', 420);

  it('is what less of it costs, a line for each MTU, shaded beyond the guard', () => {
    expect(titleOf(question, guarded)).toBe('What less CPU costs');
    expect(words(shapes)).toContain('over 5 % below the best');
    expect(shapes.filter((s) => s.attributes.fill === 'var(--ground-2)')).toHaveLength(1);
    expect(shapes.filter((s) => s.tag === 'path' && s.attributes.stroke === 'var(--line-3)')).toHaveLength(2);
    expect(captionOf(question, guarded, slice.layout)).toMatch(/Each line is one MTU/);
  });
});

describe('a limit against what is set now', () => {
  it('is drawn where that lies beyond a limit on the delay, and is no setting to choose', () => {
    const { question, slice } = posed(lab(), 'goal=cpu');
    const beyond = eight({
      guards: [{ measure: 'throughput_mbps', limit: 'within current', value: 5 }],
      reference: { mtu_bytes: 9000, delay_us: 5000, workload: 'tcp' },
      reference_means: { throughput_mbps: 160 },
    });
    const shapes = figureShapes(question, beyond, slice.layout, 'measured', 420);
    expect(words(shapes)).toContain('over 5 % below now');
  });
});

describe('the curve of a trade', () => {
  const { question, slice } = posed(lab(), 'goal=trade&weigh=latency:0');

  it('is this drawing', async () => {
    const shapes = figureShapes(question, eight(), slice.layout, 'measured', 420);
    expect(figureOf(question, eight(), slice.layout)).toBe('trade');
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
  expect(shapes.filter((s) => s.tag === 'circle')).toHaveLength(2);
  expect(svg(shapes, 'model')).not.toMatch(/NaN|undefined/);
});

describe('the setting in the picture', () => {
  const slices = slicesOf(nfs(), catalogue);
  const { state } = fromQuery('', schemaOf(nfs(), slices));
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
