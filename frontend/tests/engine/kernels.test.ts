// SPDX-License-Identifier: Apache-2.0
// The kernels in the page's bundle against what Python computed when it traced them.

import { equations } from 'virtual:models';
import references from 'virtual:references';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import type { BundledModel } from '../../src/state/models';

const TOLERANCE = 1e-12;

function evaluated(model: BundledModel, output: string, values: Readonly<Record<string, number>>): number {
  const inputs = [...model.inputs, ...model.parameters].map(({ name }) =>
    model.axes[name] ? Float64Array.of(values[name]) : values[name],
  );
  return catalogue.kernelsOf(model.id)[output](inputs, 1, 1, new Float64Array(1))[0];
}

const difference = (a: number, told: number | null): number => differing(a, told ?? Number.NaN);

const differing = (a: number, b: number): number =>
  Object.is(a, b) || a === b ? 0 : Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));

describe.each(catalogue.models.map((m) => [m.id, m] as const))('kernels of %s', (_, model) => {
  it('agree with the reference points', () => {
    expect(references[model.id].length).toBeGreaterThan(0);
    for (const { values, outputs } of references[model.id])
      for (const [output, expected] of Object.entries(outputs))
        expect(
          difference(evaluated(model, output, values), expected),
          `${output} at ${JSON.stringify(values)}`,
        ).toBeLessThanOrEqual(TOLERANCE);
  });

  it('are judged by a check that a slightly wrong value fails', () => {
    const wrong = references[model.id].some(({ values, outputs }) =>
      Object.entries(outputs).some(
        ([output, expected]) => difference(evaluated(model, output, values) * (1 + 1e-9), expected) > TOLERANCE,
      ),
    );
    expect(wrong).toBe(true);
  });

  it('fill a grid row by row', () => {
    const [{ values }] = references[model.id];
    const [nx, ny] = [5, 3];
    const inputs = [...model.inputs, ...model.parameters].map(({ name }) => {
      const axis = model.axes[name];
      if (!axis) return values[name];
      const n = { x: nx, y: ny, xy: nx * ny }[axis];
      return Float64Array.from({ length: n }, (_, i) => values[name] * (1 + i / 7));
    });
    for (const [output, kernel] of Object.entries(catalogue.kernelsOf(model.id))) {
      const grid = kernel(inputs, nx, ny, new Float64Array(nx * ny));
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++) {
          const place = Object.fromEntries(
            [...model.inputs, ...model.parameters].map(({ name }, k) => {
              const at = { x: i, y: j, xy: j * nx + i }[model.axes[name] ?? 'x'];
              const input = inputs[k];
              return [name, typeof input === 'number' ? input : input[at]];
            }),
          );
          expect(grid[j * nx + i]).toBe(evaluated(model, output, place));
        }
    }
  });
});

it('has every equation as MathML without style attributes', async () => {
  for (const model of catalogue.models) {
    const { default: own } = await equations[model.id]();
    expect(Object.keys(own)).toEqual(model.outputs.map((o) => o.name));
    for (const markup of [...Object.values(own).flat(), ...model.parameters.map((p) => p.symbolMath)]) {
      expect(markup).toMatch(/^<math/);
      expect(markup).not.toContain(' style=');
    }
  }
});
