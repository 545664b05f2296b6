// SPDX-License-Identifier: Apache-2.0
// The numbers behind a figure other than the map: for the table that screen readers have, and for files.
import { csvComment, csvField } from '../../state/csv';
import type { View } from '../../state/view';
import { contrastedCells } from './figure/contrast';
import { limitAt, meaningsOf } from './figure/limits';
import type { FrameData } from './figure/live';

type Value = number | string | null;

export interface FigureData {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

const finite = (v: number | null): number | null => (v !== null && Number.isFinite(v) ? v : null);

const JUDGED = { told: 'yes', same: 'no', unjudged: 'not known' } as const;

function contrastData(view: View, live: Pick<FrameData, 'state' | 'theta'>): FigureData {
  const { x, y } = view.layout;
  const unit = view.measure.name;
  const other = view.figure === 'residuals' ? 'model' : (view.partner?.slug ?? 'other');
  const what = { difference: 'difference', ratio: 'ratio', errors: 'difference_in_standard_errors' }[
    live.state.contrast
  ];
  const columns = [y?.name ?? '', x?.name ?? '', unit, `${unit}_${other}`, what, 'half_interval_95', 'told_apart'];
  const rows = contrastedCells(view, live).map((c) => [
    c.point.y,
    c.point.x,
    c.point.mean,
    finite(c.other),
    finite(c.value),
    finite(c.half),
    JUDGED[c.judged],
  ]);
  return { columns, rows };
}

function limitData(view: View, live: Pick<FrameData, 'state' | 'theta'>): FigureData {
  const { x, y } = view.layout;
  const meanings = meaningsOf(view);
  const rows = (y?.levels ?? []).flatMap((b) =>
    (x?.levels ?? []).map((a): Value[] => [b, a, meanings[limitAt(view, a, b, live)] ?? null]),
  );
  return { columns: [y?.name ?? '', x?.name ?? '', 'binding_constraint'], rows };
}

/** Null where the cells themselves are the numbers. */
export function figureData(view: View, live: Pick<FrameData, 'state' | 'theta'>): FigureData | null {
  if (view.figure === 'residuals' || view.figure === 'difference') return contrastData(view, live);
  return view.figure === 'limits' ? limitData(view, live) : null;
}

/** With what the figure is and where it is from in comments above the header. */
export function csvText({ columns, rows }: FigureData, about: readonly string[]): string {
  const lines = [columns, ...rows].map((fields) => fields.map(csvField).join(','));
  return `${[...about.map(csvComment), ...lines].join('\n')}\n`;
}

export function jsonText({ columns, rows }: FigureData, about: Readonly<Record<string, string>>): string {
  const records = rows.map((r) => Object.fromEntries(columns.map((name, i) => [name, r[i]])));
  return `${JSON.stringify({ ...about, rows: records }, null, 1)}\n`;
}
