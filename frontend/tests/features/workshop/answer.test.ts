// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../src/api/types';
import { sourceOf, TEMPLATE } from '../../../src/engine/sources';
import { answerOf } from '../../../src/features/workshop/answer';
import { inputsWithout, requestOf, responseFor } from '../../../src/features/workshop/fitting';
import { modelOf, parseDocument, readDocument } from '../../../src/state/userModel';

const DOCUMENT = {
  format: 1,
  title: 'A law',
  inputs: [
    { name: 'delay_us', unit: 'µs' },
    { name: 'load_share', unit: '', lo: 0, hi: 2 },
  ],
  parameters: [{ name: 'wait_us', default: 2, lo: 0, hi: 9, unit: 'µs' }],
  outputs: [
    { name: 'latency_us', unit: 'µs' },
    { name: 'own', unit: 'km' },
  ],
  graph: {
    format: 1,
    inputs: ['delay_us', 'wait_us', 'load_share'],
    nodes: [
      ['input', 0],
      ['input', 1],
      ['input', 2],
      ['add', 0, 1],
      ['mul', 3, 2],
    ],
    outputs: { latency_us: 3, own: 4 },
  },
};
const told = (value: unknown) => answerOf({ kind: 'answer', text: JSON.stringify(value) }, 5000);

describe('what comes out of the sandbox', () => {
  it('is a model when all of it is one', () => {
    expect(told({ document: DOCUMENT })).toMatchObject({ document: { title: 'A law' } });
  });

  it('is what was wrong, and where', () => {
    const error = { message: 'No.', advice: 'Yes.', line: 3, column: 4, end_line: 3, end_column: 9 };
    const place = { line: 3, column: 4, endLine: 3, endColumn: 9 };
    expect(told({ error })).toEqual({ trouble: { message: 'No.', advice: 'Yes.', place } });
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a list', []],
    ['a text', 'model'],
    ['neither', { html: '<img src=x onerror=alert(1)>' }],
    ['a model with a key of its own', { document: { ...DOCUMENT, script: 'alert(1)' } }],
    ['a title that is no text', { document: { ...DOCUMENT, title: { toString: 'x' } } }],
    ['a range that is empty', { document: { ...DOCUMENT, parameters: [{ ...DOCUMENT.parameters[0], hi: -1 }] } }],
    ['an input that is missing', { document: { ...DOCUMENT, inputs: [DOCUMENT.inputs[0]] } }],
    ['a name that is LaTeX', { document: { ...DOCUMENT, outputs: [{ name: '\\url{x}', unit: '' }] } }],
    ['an error that is no text', { error: { message: { a: 1 } } }],
  ])('is refused when it is %s', (_, value) => {
    expect(told(value)).toMatchObject({ trouble: { message: expect.stringContaining('is no model') } });
  });

  it('has no places but whole lines and columns', () => {
    for (const line of [-1, 0, 1.5, '3', 1e9, null])
      expect(told({ error: { message: 'No.', line } })).toMatchObject({ trouble: { place: null } });
  });

  it('says when it was stopped', () => {
    expect(answerOf({ kind: 'stopped' }, 5000)).toMatchObject({
      trouble: { message: expect.stringContaining('Stopped after 5 seconds') },
    });
  });

  it('is bounded', () => {
    expect(answerOf({ kind: 'answer', text: ' '.repeat(1_000_001) }, 5000)).toHaveProperty('trouble');
    expect(told({ error: { message: 'x'.repeat(9999) } })).toMatchObject({ trouble: { message: 'x'.repeat(2000) } });
  });
});

const quantities = [] as never[];

describe('a model of one’s own', () => {
  const own = modelOf(readDocument(DOCUMENT), quantities, (latex) => latex, { wait_us: 5 });

  it('spans its plane, keeps units and ranges, and starts from estimates', () => {
    expect(own.model.plane).toEqual({ x: 'delay_us', y: 'load_share' });
    expect(own.model.inputs.map((i) => i.typical)).toEqual([
      [0, 1],
      [0, 2],
    ]);
    expect(own.model.parameters[0]).toMatchObject({ default: 5, lo: 0, hi: 9, unit: 'µs' });
    expect(own.model.outputs.map((o) => o.unit)).toEqual(['µs', 'km']);
  });

  it('has kernels that take inputs first, whatever the order of the graph', () => {
    const one = new Float64Array(1);
    expect(own.catalogue.kernelsOf('own').own([Float64Array.of(3), Float64Array.of(10), 2], 1, 1, one)[0]).toBe(50);
  });

  it('prints equations of its own names, never LaTeX of a stranger', () => {
    expect(own.latex.get('own')).toContain('\\text{load\\_share}');
  });

  it('starts from the template', async () => {
    expect(readDocument((await sourceOf(TEMPLATE))?.document).title).toMatch(/^Latency/);
    expect(await sourceOf('constructor')).toBeNull();
    expect(() => parseDocument('{')).toThrow('is not JSON');
  });
});

describe('a fit of it', () => {
  const experiment = {
    factors: [{ name: 'delay_ticks', levels: [1, 2] }],
    measures: [
      { name: 'throughput_mbps', unit: 'Mb/s' },
      { name: 'latency_p50_us', unit: 'µs' },
    ],
  } as unknown as Experiment;
  const document = readDocument(DOCUMENT);

  it('takes from the experiment what it has, and holds the rest', () => {
    expect(inputsWithout(document, experiment)).toEqual(['load_share']);
    expect(responseFor(document, 'latency_us', experiment, 'µs')).toBe('latency_p50_us');
    const choice = {
      output: 'latency_us',
      response: 'latency_p50_us',
      free: [],
      held: { load_share: 1 },
      where: {},
      robust: false,
    };
    expect(requestOf(document, choice, { wait_us: 3 })).toMatchObject({
      held: { load_share: 1, wait_us: 3 },
      model: DOCUMENT,
    });
  });
});
