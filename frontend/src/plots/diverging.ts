// SPDX-License-Identifier: Apache-2.0
// The colours of a difference: nine tokens from under through even to over, mixed between them. Magnitude is distance from the ground.
const TOKENS = [
  '--under-4',
  '--under-3',
  '--under-2',
  '--under-1',
  '--even',
  '--over-1',
  '--over-2',
  '--over-3',
  '--over-4',
] as const;

/** The colour of a place on the scale, −1 to 1; beyond the ends, the end's colour. */
export function diverging(t: number): string {
  const at = 4 + 4 * Math.max(-1, Math.min(1, Number.isNaN(t) ? 0 : t));
  const k = Math.min(7, Math.floor(at));
  const share = Math.round(100 * (1 - (at - k)));
  if (share === 100) return `var(${TOKENS[k]})`;
  if (share === 0) return `var(${TOKENS[k + 1]})`;
  return `color-mix(in srgb, var(${TOKENS[k]}) ${share}%, var(${TOKENS[k + 1]}))`;
}

/** Ink that can be read on it, in both themes. */
export const inkOnDiverging = (t: number): 'var(--ink)' | 'var(--inverse)' =>
  Math.abs(t) > 0.68 ? 'var(--inverse)' : 'var(--ink)';

/** 1, 2 or 5 times a power of ten, at or above `v`. */
export function roundAbove(v: number): number {
  if (!(v > 0) || !Number.isFinite(v)) return 1;
  const power = 10 ** Math.floor(Math.log10(v));
  return Number((([1, 2, 5, 10].find((k) => k * power >= v * (1 - 1e-9)) ?? 10) * power).toPrecision(6));
}

/** The bound that holds nine in ten of the magnitudes: one setting that is far off does not take the colour from the rest. */
export function reachOf(magnitudes: readonly number[]): number {
  const rising = magnitudes.filter((m) => Number.isFinite(m) && m > 0).sort((a, b) => a - b);
  if (rising.length === 0) return 0;
  return rising[Math.min(rising.length - 1, Math.floor(0.9 * rising.length))];
}
