// SPDX-License-Identifier: Apache-2.0
// Models at single places, and rows of cells as numbers by name.
import type { Cell } from '../../api/types';
import type { BundledModel, Catalogue } from '../../state/models';
import type { Calibration, Cells, ModelUse, Parameters, Row, Term } from './definition';

/** Ethernet header and frame check sequence. */
const FRAME_OVERHEAD_BYTES = 18;

export type CellsBySlug = Readonly<Record<string, readonly Cell[] | undefined>>;
export type Numbers = Readonly<Record<string, number>>;

export function modelOf(catalogue: Catalogue, id: string): BundledModel {
  const model = catalogue.models.find((m) => m.id === id);
  if (!model) throw new Error(`there is no model ${id}`);
  return model;
}

/** Each parameter: what the figure gives, else the model's own default. */
export function settingsOf(model: BundledModel, set: Parameters): Record<string, number> {
  return Object.fromEntries([
    ...model.parameters.map((p) => [p.name, p.default]),
    ...Object.entries(set).map(([name, given]) => [name, given.value]),
  ]);
}

const scratch = new Float64Array(1);

/** A prepared model: numbers by name to its output. */
export function predictor(catalogue: Catalogue, use: ModelUse): (values: Numbers) => number {
  const model = modelOf(catalogue, use.model);
  const kernel = catalogue.kernelsOf(model.id)[use.output];
  if (!kernel) throw new Error(`${model.id} does not predict ${use.output}`);
  const base = settingsOf(model, use.set);
  const names = [...model.inputs, ...model.parameters].map((q) => q.name);
  const times = use.times ?? 1;
  const inputs: (number | Float64Array)[] = names.map((name) => (name in model.axes ? new Float64Array(1) : 0));
  return (values) => {
    names.forEach((name, k) => {
      const value = values[name] ?? base[name];
      const slot = inputs[k];
      if (typeof slot === 'number') inputs[k] = value;
      else slot[0] = value;
    });
    return times * kernel(inputs, 1, 1, scratch)[0];
  };
}

/** The value of a parameter at which the largest output is what it should be; the output falls with the parameter. */
export function calibrated(
  predict: (values: Numbers) => number,
  at: Numbers,
  along: (x: number) => Numbers,
  { parameter, between, largest, over }: Calibration,
): number {
  let [lo, hi] = between;
  for (let round = 0; round < 60; round++) {
    const middle = 0.5 * (lo + hi);
    const most = Math.max(...over.map((x) => predict({ ...at, ...along(x), [parameter]: middle })));
    if (most > largest) lo = middle;
    else hi = middle;
  }
  return 0.5 * (lo + hi);
}

export function rowOf(cell: Cell): Row {
  const row: Record<string, number | string> = { ...cell.factors };
  for (const [name, measure] of Object.entries(cell.measures)) row[name] = measure.mean;
  if (typeof row.mtu_bytes === 'number') row.frame_bytes = row.mtu_bytes + FRAME_OVERHEAD_BYTES;
  return row;
}

/** Cells of an experiment that these levels name; undefined while they are not known. */
export function chosen(data: CellsBySlug, { experiment, where }: Cells): readonly Cell[] | undefined {
  return data[experiment]?.filter((cell) =>
    Object.entries(where).every(([name, v]) => String(cell.factors[name]) === v),
  );
}

export function termOf(term: Term, row: Row): number {
  const number = (name: string): number => {
    const value = row[name];
    return typeof value === 'number' ? value : Number.NaN;
  };
  const top = term.of === undefined ? 1 : number(term.of);
  return (term.over ?? []).reduce((value, name) => value / number(name), top * (term.times ?? 1));
}

/** Half of the 95 % interval of a measure, in the unit of the term; null where it is not known or the term is no plain measure. */
export function halfOf(term: Term, cell: Cell): number | null {
  if (term.of === undefined || term.over) return null;
  const interval = cell.measures[term.of]?.ci95;
  return interval ? ((interval[1] - interval[0]) / 2) * (term.times ?? 1) : null;
}
