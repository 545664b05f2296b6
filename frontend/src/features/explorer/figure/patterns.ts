// SPDX-License-Identifier: Apache-2.0
// Fills of areas that have a name and no value: greys told apart by pattern, so that no hue is taken from the data.

interface Pattern {
  readonly id: string;
  readonly size: number;
  readonly ground: string;
  /** Strokes over the ground; empty: none. */
  readonly d: string;
}

export const PATTERNS: readonly Pattern[] = [
  { id: 'limit-0', size: 8, ground: 'var(--ground-2)', d: '' },
  { id: 'limit-1', size: 6, ground: 'var(--ground-2)', d: 'M0 3h6' },
  { id: 'limit-2', size: 7, ground: 'var(--ground-3)', d: 'M-1 1l2 -2M0 7L7 0M6 8l2 -2' },
  { id: 'limit-3', size: 8, ground: 'var(--ground-2)', d: 'M1.5 2h1.4M5.5 6h1.4' },
  { id: 'limit-4', size: 6, ground: 'var(--ground-3)', d: 'M3 0v6' },
];

export const patternOf = (code: number): string => `url(#${PATTERNS[code % PATTERNS.length]?.id})`;

/** The same for a file. */
export const patternText = (): string =>
  PATTERNS.map(
    ({ id, size, ground, d }) =>
      `<pattern id="${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse">` +
      `<rect width="${size}" height="${size}" fill="${ground}"/>${d ? `<path d="${d}" stroke="var(--line-3)"/>` : ''}</pattern>`,
  ).join('');
