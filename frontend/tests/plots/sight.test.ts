// SPDX-License-Identifier: Apache-2.0
// What hue says, for readers who see fewer hues: values, settings, shares of a cost, the crosshair. Kinds have a shape, refusals a cross and
// the word: their colours need not differ.
import { describe, expect, it } from 'vitest';
import { tide } from '../../src/plots/tide';
import { apart, hexOf, lab, SIMULATED } from '../sight';
import { THEMES } from '../tokens';

const sights = Object.entries(SIMULATED);
const TIDE = Array.from({ length: 256 }, (_, k) => tide(k / 255).slice(1));

describe.each(sights)('seen with %s', (_, matrix) => {
  it('more of a surface is brighter, at every step, evenly', () => {
    const lightness = TIDE.map((hex) => lab(hex, matrix)[0]);
    // a sixteenth of the scale is a step that is seen anywhere on it
    for (let k = 16; k < 256; k++) expect(lightness[k] - lightness[k - 16]).toBeGreaterThan(0.02);
    expect(lightness[255] - lightness[0]).toBeGreaterThan(0.6);
  });

  it.each(THEMES)('settings and shares of a cost keep their order, %s', (theme, block) => {
    const away = theme === 'light' ? -1 : 1;
    for (const ramp of [[1, 2, 3, 4, 5].map((k) => `mtu-${k}`), ['cost-byte', 'cost-packet', 'cost-interrupt']]) {
      const lightness = ramp.map((name) => away * lab(hexOf(block, name), matrix)[0]);
      for (let k = 1; k < ramp.length; k++) expect(lightness[k] - lightness[k - 1]).toBeGreaterThan(0.05);
    }
  });

  it.each(THEMES)('the crosshair is no setting, %s', (_theme, block) => {
    const seen = (name: string) => lab(hexOf(block, name), matrix);
    for (let k = 1; k <= 5; k++) expect(apart(seen('crosshair'), seen(`mtu-${k}`))).toBeGreaterThan(0.1);
  });
});

it('would find a scale that only hue tells apart', () => {
  const [red, green] = ['c8321a', '6f7d1a'].map((hex) => lab(hex, SIMULATED.deutan));
  expect(apart(red, green)).toBeLessThan(apart(lab('c8321a', SIMULATED.none), lab('6f7d1a', SIMULATED.none)) / 2);
});
