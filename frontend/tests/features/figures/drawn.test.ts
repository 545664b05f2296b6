// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { FIGURES, figureById } from '../../../src/features/figures/definitions';
import { drawnWords } from '../../../src/features/figures/drawn';
import { kindsOf } from '../../../src/features/figures/Key';
import { csvText, sheetsOf } from '../../../src/features/figures/numbers';
import { DATA } from './data';

const words = (number: number) => {
  const figure = figureById(`geist-2005-figure-${number}`);
  if (!figure) throw new Error(`no figure ${number}`);
  return kindsOf(figure).map((kind) => `${kind}: ${drawnWords(figure, kind, catalogue)}`);
};

describe('the key of a figure', () => {
  it('names the workload of the testbed', () => {
    expect(words(10)).toEqual(['published: ', 'emulated: request response', 'model: ']);
    for (const figure of FIGURES.filter((each) => kindsOf(each).includes('emulated')))
      expect(drawnWords(figure, 'emulated', catalogue)).toMatch(/^(UDP|TCP|request response)/);
  });

  it('names what each kind is where the axis stands for several quantities', () => {
    expect(words(13)).toEqual([
      'published: system CPU time',
      'emulated: request response, traffic CPU time',
      'model: system CPU time',
    ]);
    expect(words(4)).toEqual(['emulated: UDP, traffic CPU', 'model: system CPU']);
    expect(words(14)).toEqual(['emulated: TCP, traffic CPU time', 'model: system CPU time']);
  });

  it('leaves no axis with the name of one of them', () => {
    for (const figure of FIGURES.filter((each) => drawnWords(each, 'emulated', catalogue).includes('traffic CPU')))
      for (const panel of figure.panels)
        if ('y' in panel)
          expect(`${panel.y.label} ${'value' in panel ? panel.value.label : ''}`).not.toMatch(/system/i);
  });

  it('is in the file of numbers too', () => {
    const figure = FIGURES.find(({ id }) => id === 'geist-2005-figure-14');
    if (!figure) throw new Error('no figure 14');
    const tcp = DATA['virtual-testbed']?.map((cell) => ({ ...cell, factors: { ...cell.factors, workload: 'tcp' } }));
    const rows = csvText(figure, '', sheetsOf(figure, catalogue, { ...DATA, 'virtual-testbed': tcp })).split('\n');
    expect(rows.filter((row) => row.startsWith('"emulated: TCP, traffic CPU time",'))).toHaveLength(6);
  });
});
