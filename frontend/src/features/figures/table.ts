// SPDX-License-Identifier: Apache-2.0
// A table of a paper with its numbers, and bars: rows of cells or of given settings, columns as they say.
import { brief } from '../../plots/number';
import type { Catalogue } from '../../state/models';
import type { BarsPanel, Column, MarkKind, Row, TablePanel } from './definition';
import { type CellsBySlug, chosen, halfOf, predictor, rowOf, termOf } from './evaluate';
import type { Bar } from './render/bars';

export type Field = number | string;

function reader(column: Column, catalogue: Catalogue): (row: Row) => Field {
  const { value } = column;
  if ('text' in value) return (row) => row[value.text] ?? '';
  if ('term' in value) return (row) => termOf(value.term, row);
  const predict = predictor(catalogue, value.use);
  const { observed } = value;
  return (row) => {
    const inputs = Object.entries(value.inputs).map(([name, term]) => [name, termOf(term, row)]);
    const predicted = predict(Object.fromEntries(inputs));
    return observed === undefined ? predicted : observed - predicted;
  };
}

/** Rows of the table; none while its cells are not known. */
export function rowsOf(panel: TablePanel, catalogue: Catalogue, data: CellsBySlug): readonly Field[][] {
  const { rows } = panel;
  const own: readonly Row[] = 'experiment' in rows ? (chosen(data, rows) ?? []).map(rowOf) : (rows as readonly Row[]);
  const beside = Object.entries(panel.beside ?? {});
  const readers = panel.columns.map((column) => reader(column, catalogue));
  return own.map((row, i) => {
    const whole: Row = { ...row, ...Object.fromEntries(beside.map(([name, values]) => [name, values[i]])) };
    return readers.map((read) => read(whole));
  });
}

export const kindOfBars = ({ bars }: BarsPanel): MarkKind => ('cells' in bars ? bars.cells.kind : 'model');

export function barsOf(panel: BarsPanel, catalogue: Catalogue, data: CellsBySlug): Bar[] {
  const { bars } = panel;
  if ('cells' in bars)
    return (chosen(data, bars.cells) ?? []).map((cell) => {
      const row = rowOf(cell);
      return {
        name: brief(termOf(bars.name, row)),
        value: termOf(bars.value, row),
        half: halfOf(bars.value, cell),
        ...(bars.cells.kind === 'emulated' && { n: cell.runs }),
      };
    });
  const predict = predictor(catalogue, bars.model);
  return bars.at.map((x) => ({ name: brief(x, 5), value: predict({ [bars.along]: x }), half: null }));
}
