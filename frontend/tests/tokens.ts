// SPDX-License-Identifier: Apache-2.0
// The page's tokens, from where it has them, and files in the light ones that can be read line by line.
import { readFileSync } from 'node:fs';
import { fileText } from '../src/plots/file';
import type { Shape } from '../src/plots/shapes';

const css = readFileSync(new URL('../src/app/tokens.css', import.meta.url), 'utf8');
const [light, dark] = css.split('[data-theme="dark"]');

/** The two themes, as blocks of tokens. */
export const THEMES = [
  ['light', light],
  ['dark', dark],
] as const;

export const LIGHT: Readonly<Record<string, string>> = Object.fromEntries(
  [...light.matchAll(/(--[a-z0-9-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]),
);

/** Numbers to a tenth of a pixel: what the eye cannot see does not change a file. */
export const rounded = (svg: string): string =>
  svg.replace(/-?\d+\.\d{2,}/g, (n) => String(Number(Number(n).toFixed(1))));

/** A drawing as the text of a file in the light theme. */
export function sheet(
  title: string,
  shapes: readonly Shape[],
  [width, height]: readonly [number, number],
  before = '',
): string {
  return rounded(fileText({ width, height, title, description: title, before, shapes, tokens: LIGHT }));
}
