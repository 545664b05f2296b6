// SPDX-License-Identifier: Apache-2.0
// What is drawn of each kind, where the kind alone does not say it: the testbed's workload, a quantity of its own. No DOM.
import { inSentence, levelInWords } from '../../components/factorWords';
import type { Catalogue } from '../../state/models';
import type { Cells, Figure, MarkKind, Panel } from './definition';

interface Drawn {
  readonly kind: MarkKind;
  /** The quantity, or the model's output. */
  readonly name: string | undefined;
  readonly cells: Cells | null;
}

function drawnOn(panel: Panel): Drawn[] {
  if (panel.form === 'lines')
    return panel.sources.flatMap((source): Drawn[] => {
      if (source.from === 'statement') return [];
      if (source.from !== 'cells') return [{ kind: 'model', name: source.output, cells: null }];
      // a number over others is what the axis names
      return [{ kind: source.cells.kind, name: source.y.over ? undefined : source.y.of, cells: source.cells }];
    });
  if (panel.form !== 'heat') return [];
  const marks = panel.marks.map(({ cells, value }) => ({ kind: cells.kind, name: value.of, cells }));
  return [{ kind: 'model', name: panel.model.output, cells: null }, ...marks];
}

/** The axis says per how many bytes. */
const bare = (label: string): string => inSentence(label.replace(/ per 10⁹ bytes$/, ''));

function labelsOf(drawn: readonly Drawn[], catalogue: Catalogue): string[] {
  const names = new Set(drawn.flatMap(({ name }) => name ?? []));
  return [...new Set(catalogue.quantities.flatMap(({ name, label }) => (names.has(name) ? [bare(label)] : [])))];
}

/** By kind: `request response, traffic CPU time`; '' where the axis names all there is. */
export function drawnWords(figure: Figure, kind: MarkKind, catalogue: Catalogue): string {
  const panels = figure.panels.map(drawnOn);
  const own = panels.flat().filter((each) => each.kind === kind);
  const workloads = own.flatMap(({ cells }) =>
    cells?.kind === 'emulated' ? [levelInWords(cells.where.workload)] : [],
  );
  const mixed = panels.filter((drawn) => labelsOf(drawn, catalogue).length > 1).flat();
  const labels = labelsOf(
    mixed.filter((each) => each.kind === kind),
    catalogue,
  );
  const shortest = labels.filter((label) => !labels.some((other) => other !== label && label.startsWith(other)));
  return [...new Set(workloads), ...shortest].join(', ');
}
