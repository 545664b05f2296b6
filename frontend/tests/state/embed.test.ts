// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { canEmbed, embedPath, isEmbed, slidersAsked, viewPath } from '../../src/state/embed';

describe('the embed of a view', () => {
  it.each([
    ['/explorer/a?lines=1500,4500&theme=dark', '/embed/explorer/a?lines=1500,4500'],
    ['/models/cpu-overhead', '/embed/models/cpu-overhead'],
    ['/figures/geist-2005-figure-14?theme=light#x', '/embed/figures/geist-2005-figure-14'],
  ])('%s', (view, embed) => {
    expect(embedPath(view, { theme: 'auto', sliders: false })).toBe(embed);
    expect(viewPath(embed)).toBe(view.replace(/[?&]theme=[a-z]+|#x/g, ''));
  });

  it('asks for what only a frame asks for, and the view does not', () => {
    const embed = embedPath('/explorer/a?gamma=1.2', { theme: 'dark', sliders: true });
    expect(embed).toBe('/embed/explorer/a?gamma=1.2&sliders=on&theme=dark');
    expect(viewPath(embed)).toBe('/explorer/a?gamma=1.2');
    expect([slidersAsked('gamma=1&sliders=on'), slidersAsked('sliders=yes'), slidersAsked('')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is of views only', () => {
    expect(['/explorer/a?x=1', '/models/b', '/figures/c'].every(canEmbed)).toBe(true);
    expect(['/', '/upload', '/workshop#code', '/runs/1', '/explorer/a/b', '/models'].some(canEmbed)).toBe(false);
    expect([isEmbed('/embed/x'), isEmbed('/embed'), isEmbed('/embedded/x')]).toEqual([true, false, false]);
  });
});
