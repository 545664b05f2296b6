// SPDX-License-Identifier: Apache-2.0
// Monotone cubic interpolation (Fritsch and Butland's slopes, one-sided three-point ends): between two points it never
// leaves their range, so that it invents no optimum. Straight lines beyond the ends.

export type Curve = (x: number) => number;

function endSlope(h0: number, h1: number, s0: number, s1: number): number {
  const v = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
  if (v * s0 <= 0) return 0;
  return s0 * s1 <= 0 && Math.abs(v) > 3 * Math.abs(s0) ? 3 * s0 : v;
}

function slopes(h: readonly number[], s: readonly number[]): number[] {
  const n = h.length + 1;
  const m = new Array<number>(n).fill(0);
  for (let i = 1; i < n - 1; i++) {
    if (s[i - 1] * s[i] <= 0) continue;
    const a = 2 * h[i] + h[i - 1];
    const b = h[i] + 2 * h[i - 1];
    m[i] = (a + b) / (a / s[i - 1] + b / s[i]);
  }
  m[0] = endSlope(h[0], h[1], s[0], s[1]);
  m[n - 1] = endSlope(h[n - 2], h[n - 3], s[n - 2], s[n - 3]);
  return m;
}

/** The curve through (xs[i], ys[i]); xs rise strictly. One point gives a constant, two a straight line. */
export function monotone(xs: ArrayLike<number>, ys: ArrayLike<number>): Curve {
  const n = xs.length;
  if (n === 0) return () => Number.NaN;
  if (n === 1) return () => ys[0];
  const h = Array.from({ length: n - 1 }, (_, i) => xs[i + 1] - xs[i]);
  const s = h.map((step, i) => (ys[i + 1] - ys[i]) / step);
  const m = n === 2 ? [s[0], s[0]] : slopes(h, s);
  return (x) => {
    if (x <= xs[0]) return ys[0] + m[0] * (x - xs[0]);
    if (x >= xs[n - 1]) return ys[n - 1] + m[n - 1] * (x - xs[n - 1]);
    let i = 0;
    while (x > xs[i + 1]) i++;
    const t = (x - xs[i]) / h[i];
    const a = 1 - t;
    return (
      ys[i] * (1 + 2 * t) * a * a +
      m[i] * h[i] * t * a * a +
      ys[i + 1] * t * t * (3 - 2 * t) -
      m[i + 1] * h[i] * t * t * a
    );
  };
}
