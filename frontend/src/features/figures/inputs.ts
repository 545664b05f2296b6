// SPDX-License-Identifier: Apache-2.0
// Which models a figure draws and with which numbers; which data sets it reads.
import { brief } from '../../plots/number';
import type { BundledModel, Catalogue } from '../../state/models';
import type { Cells, Figure, ModelUse, Origin, Panel } from './definition';
import { modelOf } from './evaluate';
import { tunedFor } from './resolve';

export interface Input {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  /** One number, or one a line. */
  readonly value: string;
  readonly origin: Origin;
  readonly why: string;
}

interface UsedModel {
  readonly model: BundledModel;
  readonly second: string | null;
  readonly inputs: readonly Input[];
}

function cellsOf(panel: Panel): Cells[] {
  if (panel.form === 'lines') return panel.sources.flatMap((s) => ('cells' in s ? [s.cells] : []));
  if (panel.form === 'heat') return panel.marks.map((m) => m.cells);
  if (panel.form === 'bars') return 'cells' in panel.bars ? [panel.bars.cells] : [];
  return 'experiment' in panel.rows ? [panel.rows] : [];
}

/** Experiments by slug, each once. */
export function experimentsOf(figure: Figure): Cells[] {
  const all = figure.panels.flatMap(cellsOf);
  return all.filter((c, i) => all.findIndex((d) => d.experiment === c.experiment) === i);
}

interface Use {
  readonly use: ModelUse;
  readonly second: string | null;
  /** Inputs that the axes or the rows set. */
  readonly varying: readonly string[];
  readonly per: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly tuned: { readonly parameter: string; readonly values: readonly number[]; readonly why: string } | null;
}

function usesOf(panel: Panel, catalogue: Catalogue): Use[] {
  const plain = { second: null, per: {}, tuned: null };
  if (panel.form === 'heat') return [{ ...plain, use: panel.model, varying: [panel.model.across, panel.model.up] }];
  if (panel.form === 'bars')
    return 'model' in panel.bars ? [{ ...plain, use: panel.bars.model, varying: [panel.bars.along] }] : [];
  if (panel.form === 'table')
    return panel.columns.flatMap((c) =>
      'use' in c.value ? [{ ...plain, use: c.value.use, varying: Object.keys(c.value.inputs) }] : [],
    );
  return panel.sources.flatMap((source): Use[] => {
    if (source.from === 'model-at-cells') return [{ ...plain, use: source, varying: Object.keys(source.inputs) }];
    if (source.from !== 'model') return [];
    const { calibrate, per } = source;
    const tuned = calibrate && {
      parameter: calibrate.parameter,
      values: Object.keys(per).map((line) => tunedFor(catalogue, source, line) ?? Number.NaN),
      why: `so that the largest throughput is the printed ${brief(calibrate.largest)} Mb/s`,
    };
    return [{ use: source, second: source.second ?? null, varying: [source.along], per, tuned: tuned ?? null }];
  });
}

function inputsOf(model: BundledModel, { use, varying, per, tuned }: Use): Input[] {
  return [...model.inputs, ...model.parameters].flatMap((q): Input[] => {
    if (varying.includes(q.name)) return [];
    const base = { name: q.name, label: q.label, unit: q.unit };
    if (tuned?.parameter === q.name)
      return [{ ...base, value: tuned.values.map((v) => brief(v, 3)).join(', '), origin: 'tuned', why: tuned.why }];
    const own = Object.values(per).flatMap((values) => values[q.name] ?? []);
    if (own.length > 0) {
      const one = own.every((v) => v === own[0]);
      return [
        {
          ...base,
          value: (one ? [own[0]] : own).map((v) => brief(v, 5)).join(', '),
          origin: 'printed',
          why: one ? '' : 'line by line',
        },
      ];
    }
    const given = use.set[q.name];
    return given ? [{ ...base, value: brief(given.value, 6), origin: given.origin, why: given.why ?? '' }] : [];
  });
}

/** Whether all numbers of `few` are among those of `many`. */
const within = (few: readonly Input[], many: readonly Input[]): boolean =>
  few.every((a) => many.some((b) => b.name === a.name && b.value === a.value));

/** Every model of a figure with every number that it was given; what another use of the model says already is left out. */
export function modelsOf(figure: Figure, catalogue: Catalogue): UsedModel[] {
  const uses = figure.panels
    .flatMap((panel) => usesOf(panel, catalogue))
    .map((use): UsedModel => {
      const model = modelOf(catalogue, use.use.model);
      return { model, second: use.second, inputs: inputsOf(model, use) };
    });
  return uses.filter(
    ({ model, inputs }, i) =>
      !uses.some(
        (other, k) =>
          k !== i &&
          other.model === model &&
          within(inputs, other.inputs) &&
          (k < i || inputs.length < other.inputs.length),
      ),
  );
}
