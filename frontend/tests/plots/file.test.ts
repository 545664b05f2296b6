// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { dodge } from '../../src/plots/dodge';
import { escapeText, fileText, resolveTokens, shapeText } from '../../src/plots/file';
import { line, text } from '../../src/plots/shapes';
import { inkOn, inkOnTide, luminance, tide } from '../../src/plots/tide';

const tokens = { '--ink': '#1a1b1a', '--mtu-1': '#000000', '--mtu-2': '#ffffff' };

it('puts values in the place of tokens', () => {
  expect(shapeText(line(0, 1, 2, 3, { stroke: 'var(--ink)' }), tokens)).toBe(
    '<line x1="0" y1="1" x2="2" y2="3" stroke="#1a1b1a"/>',
  );
  expect(resolveTokens('color-mix(in srgb, var(--mtu-1) 25%, var(--mtu-2))', tokens)).toBe('#bfbfbf');
});

it('refuses a token without a value: no file loses a colour', () => {
  expect(() => resolveTokens('var(--nowhere)', tokens)).toThrow('--nowhere');
});

it('raises exponents, and escapes what people wrote', () => {
  const raised = shapeText(text(0, 0, 'per 10⁹ bytes', { 'font-size': 12 }), tokens);
  expect(raised).toContain('<tspan dy="-3.12" font-size="12">9</tspan>');
  expect(escapeText('<a href="x">&')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;');
  const file = fileText({
    width: 10,
    height: 10,
    title: 'a < b',
    description: '"',
    before: '',
    shapes: [],
    tokens: { '--ground': '#ffffff' },
  });
  expect(file).toContain('<title>a &lt; b</title>');
});

it('comes down from an exponent to where the text was', () => {
  for (const size of [12, 18]) {
    const file = shapeText(text(0, 0, 'per 10⁹ bytes', { 'font-size': size }), tokens);
    const steps = [...file.matchAll(/ dy="([-\d.]+)"/g)].map(([, by]) => Number(by));
    expect(steps.length).toBe(2);
    expect(steps[0] + steps[1]).toBe(0);
    expect(-steps[0] / size).toBeCloseTo(0.26, 2);
  }
});

it('spreads labels, and only as far as it must', () => {
  const out = dodge([10, 12, 40], 13);
  expect(out[1] - out[0]).toBeGreaterThanOrEqual(13 - 0.02);
  expect(out[2]).toBe(40);
  expect((out[0] + out[1]) / 2).toBeCloseTo(11, 1);
});

it('rises in lightness from end to end', () => {
  let last = -1;
  for (let k = 0; k < 256; k++) {
    const now = luminance(tide(k / 255));
    expect(now).toBeGreaterThanOrEqual(last - 1e-3);
    last = now;
  }
  for (let k = 0; k < 256; k++) expect(inkOnTide(k / 255)).toBe(inkOn(tide(k / 255)));
  expect([inkOn(tide(0)), inkOn(tide(1))]).toEqual(['var(--on-dark)', 'var(--on-bright)']);
  expect([tide(-3), tide(9), tide(Number.NaN)]).toEqual([tide(0), tide(1), tide(0)]);
});
