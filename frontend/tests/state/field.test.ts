// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fieldOf } from '../../src/state/field';

describe('a field', () => {
  const x = { name: 'delay_us', label: '', unit: '', levels: [1, 10, 100], spacing: 'log' as const };
  const samples = [1, 10, 100].map((at) => ({ x: at, y: 0, value: Math.log10(at) }));

  it('bridges one missing setting between two others, and no end', () => {
    const middle = fieldOf(
      { x, y: null },
      samples.filter((s) => s.x !== 10),
      false,
    );
    expect(middle?.at(10, 0)).toBeCloseTo(1, 9);
    expect(
      fieldOf(
        { x, y: null },
        samples.filter((s) => s.x !== 100),
        false,
      ),
    ).toBeNull();
  });

  it('says the same between two cells on every scale, and when a setting far away comes', () => {
    const at = (spacing: 'linear' | 'log', levels: number[]) =>
      fieldOf(
        { x: { ...x, levels, spacing }, y: null },
        samples.filter((s) => levels.includes(s.x)),
        false,
      )?.at(3, 0);
    expect(at('linear', [1, 10])).toBeCloseTo(Math.log10(3), 12);
    expect(at('log', [1, 10])).toBe(at('linear', [1, 10]));
    expect(at('log', [1, 10, 100])).toBeCloseTo(Math.log10(3), 12);
  });

  it('fills grids with what it says at places', () => {
    const field = fieldOf({ x, y: null }, samples, false);
    const out = field?.fill([1, 5, 50], [0], new Float64Array(3));
    expect(Array.from(out ?? [])).toEqual([1, 5, 50].map((v) => field?.at(v, 0)));
  });
});
