// SPDX-License-Identifier: Apache-2.0
// The numbers behind a chart: as a table on the page and as a file.
import { csvField } from '../../state/csv';
import type { Catalogue } from '../../state/models';
import type { Figure, HeatPanel, LinesPanel, Panel } from './definition';
import { drawnWords } from './drawn';
import type { CellsBySlug } from './evaluate';
import { quantitiesOn, quantityAbove } from './quantities';
import { heatMarks } from './render/heat';
import { resolve, samplesOf } from './resolve';
import { barsOf, kindOfBars, rowsOf } from './table';

export interface Sheet {
  readonly title: string;
  readonly head: readonly string[];
  /** The quantity in each column, where it is one. */
  readonly of: readonly (string | undefined)[];
  readonly rows: readonly (readonly (number | string)[])[];
}

/** What is drawn of the testbed. */
type Emulated = string;

const withUnit = (label: string, unit: string): string => (unit ? `${label} [${unit}]` : label);

const RELATIONS = { about: 'about', below: 'below', above: 'above', from: 'from' } as const;

function linesSheet(panel: LinesPanel, of: Emulated, catalogue: Catalogue, data: CellsBySlug): Omit<Sheet, 'title'> {
  const { x, y } = quantitiesOn(panel);
  const { series, statements } = resolve(panel, catalogue, data);
  const ticks = panel.x.ticks ?? samplesOf(panel.x, 11);
  const label = (id: string | undefined): string => panel.lines.find((l) => l.id === id)?.label ?? '';
  const rows = series.flatMap(({ kind, line, spots, at, second }) => {
    const own = at ? ticks.map((x) => ({ x, y: at(x), half: null })) : spots;
    const more = kind === 'emulated' ? of : second;
    const what = more ? `${kind}: ${more}` : kind;
    return own.map(({ x, y, half }) => [what, line.label, x, y, half ?? '', '']);
  });
  const said = statements.map((s) => [
    'published',
    label(s.line),
    s.x,
    s.y ?? '',
    '',
    `${RELATIONS[s.relation]}: ${s.printed}`,
  ]);
  return {
    head: [
      'kind',
      'line',
      withUnit(panel.x.label, panel.x.unit),
      withUnit(panel.y.label, panel.y.unit),
      '95 % interval, half',
      'as printed',
    ],
    of: [undefined, undefined, x, y],
    rows: [...rows, ...said],
  };
}

function heatSheet(panel: HeatPanel, of: Emulated, data: CellsBySlug): Omit<Sheet, 'title'> {
  return {
    head: [
      'kind',
      withUnit(panel.x.label, panel.x.unit),
      withUnit(panel.y.label, panel.y.unit),
      withUnit(panel.value.label, panel.value.unit),
    ],
    of: [undefined, panel.model.across, panel.model.up, panel.model.output],
    rows: heatMarks(panel, data).map((m) => [m.kind === 'emulated' ? `${m.kind}: ${of}` : m.kind, m.x, m.y, m.value]),
  };
}

function sheetOf(panel: Panel, of: Emulated, catalogue: Catalogue, data: CellsBySlug): Omit<Sheet, 'title'> {
  if (panel.form === 'lines') return linesSheet(panel, of, catalogue, data);
  if (panel.form === 'heat') return heatSheet(panel, of, data);
  if (panel.form === 'bars')
    return {
      head: ['kind', withUnit(panel.x.label, panel.x.unit), withUnit(panel.y.label, panel.y.unit)],
      of: [undefined, quantitiesOn(panel).x, quantitiesOn(panel).y],
      rows: barsOf(panel, catalogue, data).map((bar) => [kindOfBars(panel), bar.name, bar.value]),
    };
  return {
    head: panel.columns.map((c) => `${withUnit(c.label, c.unit ?? '')}${c.kind === 'setting' ? '' : ` (${c.kind})`}`),
    of: panel.columns.map(quantityAbove),
    rows: rowsOf(panel, catalogue, data),
  };
}

export function sheetsOf(figure: Figure, catalogue: Catalogue, data: CellsBySlug): Sheet[] {
  const of = drawnWords(figure, 'emulated', catalogue);
  return figure.panels.map((panel) => ({ title: panel.title ?? '', ...sheetOf(panel, of, catalogue, data) }));
}

const fieldText = (field: number | string): string =>
  csvField(typeof field === 'number' ? Number(field.toPrecision(10)) : field);

/** One table a panel, an empty line between; the first line names figure and source. */
export function csvText(figure: Figure, source: string, sheets: readonly Sheet[]): string {
  const tables = sheets.map(({ title, head, rows }) =>
    [
      ...(title ? [csvField(title)] : []),
      head.map(csvField).join(','),
      ...rows.map((row) => row.map(fieldText).join(',')),
    ].join('\n'),
  );
  return `${csvField(`${source}, ${figure.label.toLowerCase()}: ${figure.title}`)}\n${tables.join('\n\n')}\n`;
}
