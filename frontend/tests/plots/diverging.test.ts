// SPDX-License-Identifier: Apache-2.0
// The colours of a difference for readers who see fewer colours: the order holds, and the two sides stay apart.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diverging, reachOf, roundAbove } from '../../src/plots/diverging';
import { regionsOf } from '../../src/plots/regions';

const css = readFileSync(new URL('../../src/app/tokens.css', import.meta.url), 'utf8');
const [light, dark] = css.split('[data-theme="dark"]');
const NAMES = ['under-4', 'under-3', 'under-2', 'under-1', 'even', 'over-1', 'over-2', 'over-3', 'over-4'];

type Rgb = readonly [number, number, number];

function linear(block: string, name: string): Rgb {
  const hex = new RegExp(`--${name}: #([0-9a-f]{6})`).exec(block)?.[1] ?? '';
  const part = (at: number): number => {
    const v = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return [part(0), part(2), part(4)];
}

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
const SIMULATED: Readonly<Record<string, readonly Rgb[]>> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Björn Ottosson's OKLab. */
function lab(rgb: Rgb, by: readonly Rgb[]): Rgb {
  const [r, g, b] = by.map((row) => Math.max(0, Math.min(1, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

describe.each([
  ['light', light],
  ['dark', dark],
])('the scale in the %s', (theme, block) => {
  it.each(Object.entries(SIMULATED))('keeps order and sides, %s', (_, matrix) => {
    const colours = NAMES.map((name) => lab(linear(block, name), matrix));
    const away = theme === 'light' ? -1 : 1;
    for (let k = 0; k < 4; k++) {
      // lightness leaves the ground step by step, on both sides
      expect(away * (colours[k][0] - colours[k + 1][0])).toBeGreaterThan(0.07);
      expect(away * (colours[8 - k][0] - colours[7 - k][0])).toBeGreaterThan(0.07);
      // and equally strong sides differ in hue: OKLab distance of 0.02 is just seen
      if (k < 3) expect(Math.hypot(...colours[k].map((v, i) => v - colours[8 - k][i]))).toBeGreaterThan(0.08);
    }
  });
});

it('goes through its tokens', () => {
  expect(diverging(0)).toBe('var(--even)');
  expect(diverging(1)).toBe('var(--over-4)');
  expect(diverging(-7)).toBe('var(--under-4)');
  expect(diverging(0.25)).toBe('var(--over-1)');
  expect(diverging(0.375)).toBe('color-mix(in srgb, var(--over-1) 50%, var(--over-2))');
});

it('rounds its bounds, and one wild value does not take them', () => {
  expect([0.3, 1, 1.2, 3, 700].map(roundAbove)).toEqual([0.5, 1, 2, 5, 1000]);
  expect(reachOf([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 900])).toBe(1);
  expect(reachOf([Number.NaN, 3])).toBe(3);
});

it('outlines areas of a code and finds where each has most room', () => {
  const z = Array.from({ length: 100 }, (_, k) => (k % 10 < 7 ? 2 : 4));
  const [left, right] = regionsOf(z, 10, 10);
  expect([left.code, right.code]).toEqual([2, 4]);
  expect(left.rings).toHaveLength(1);
  expect(left.inmost[0]).toBeLessThan(6);
  expect(left.depth).toBeGreaterThan(right.depth);
});
