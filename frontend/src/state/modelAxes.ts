// SPDX-License-Identifier: Apache-2.0
// What a model can be drawn over without data: its settings along an axis, and the axes that it opens with.
import { decadeTicks, niceTicks } from '../plots/scale';
import { type Axes, type Axis, NONE } from './layout';
import { type BundledModel, type BundledParameter, type BundledQuantity, partsOf } from './models';

/** Settings that stand for a continuous range: 1, 2 and 5 times powers of ten, or well-known MTUs. */
export function modelAxis(quantity: BundledQuantity | BundledParameter): Axis {
  const [lo, hi] =
    'lo' in quantity
      ? [quantity.lo, quantity.hi]
      : (quantity.typical ?? [quantity.domain[0] ?? 0, quantity.domain[1] ?? 1]);
  const base = { name: quantity.name, label: quantity.label, unit: quantity.unit, bounds: [lo, hi] as const };
  if (quantity.name === 'mtu_bytes') {
    const levels = [1500, 3000, 4500, 6000, 9000].filter((v) => v >= lo && v <= hi);
    return { ...base, levels, spacing: 'linear' };
  }
  if (lo > 0 && hi / lo >= 20) return { ...base, levels: decadeTicks(lo, hi), spacing: 'log' };
  return { ...base, levels: niceTicks(lo, hi, 6), spacing: 'linear' };
}

/** What a model can be drawn over: its inputs, and its parameters where they are no costs with a part of the value each. */
export function modelFactors(model: BundledModel): (BundledQuantity | BundledParameter)[] {
  return partsOf(model).length > 0 ? [...model.inputs] : [...model.inputs, ...model.parameters];
}

/** The axes that a model without data opens with: its plane where it has one, else what its kernel takes along x and y. */
export function planeOf(model: BundledModel): Axes {
  const has = (name: string | undefined): boolean => model.inputs.some((i) => i.name === name);
  const rest = { facet: NONE, facetLevels: null, xScale: null, yScale: null };
  if (!model.plane) return { x: model.inputs.at(-1)?.name ?? NONE, y: model.inputs.at(-2)?.name ?? NONE, ...rest };
  const other = model.inputs.find((i) => model.axes[i.name]?.includes('x'))?.name ?? NONE;
  const { x, y } = model.plane;
  return { x: has(x) ? x : other, y: has(y) ? y : NONE, ...rest };
}
