// SPDX-License-Identifier: Apache-2.0
// Colours as readers see them who see fewer: the page's tokens through a simulation, in a space where distance is difference.
export type Rgb = readonly [number, number, number];

/** The colour of a token of a theme, as six digits. */
export function hexOf(block: string, name: string): string {
  const hex = new RegExp(`--${name}: +#([0-9a-f]{6})`).exec(block)?.[1];
  if (!hex) throw new Error(`there is no token --${name}`);
  return hex;
}

/** Linear RGB of six digits. */
function linear(hex: string): Rgb {
  const part = (at: number): number => {
    const v = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return [part(0), part(2), part(4)];
}

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
export const SIMULATED: Readonly<Record<string, readonly Rgb[]>> = {
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

/** Björn Ottosson's OKLab: lightness first; a distance of 0.02 is just seen. */
export function lab(hex: string, by: readonly Rgb[]): Rgb {
  const rgb = linear(hex);
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

export const apart = (a: Rgb, b: Rgb): number => Math.hypot(...a.map((v, i) => v - b[i]));
