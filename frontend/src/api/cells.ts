// SPDX-License-Identifier: Apache-2.0
// Cells come from a server as columns, which are a third shorter; a copy keeps them as rows. The page takes both.
import { body, client } from './client';
import type { Cell, CellColumns, CellMeasure, Cells } from './types';

type Query = { readonly where?: Record<string, string>; readonly without?: string };

/** Every cell with every measure. */
export async function askForCells(slug: string, query: Query, signal: AbortSignal): Promise<Cells> {
  const params = { path: { slug }, query: { ...query, layout: 'columns' as const } };
  const found = await body<Cells | CellColumns>(client.GET('/api/experiments/{slug}/cells', { params, signal }));
  return 'cells' in found ? found : { ...found, cells: rowsOf(found) };
}

/** What each name has in the k-th place, without those that have nothing. */
function atPlace<Of, Value>(columns: Record<string, Of>, value: (of: Of) => Value | null): Record<string, Value> {
  const found: Record<string, Value> = {};
  for (const name in columns) {
    const own = value(columns[name]);
    if (own !== null) found[name] = own;
  }
  return found;
}

export const rowsOf = ({ id, factors, runs, partial_runs, measures }: CellColumns): Cell[] =>
  id.map((id, k) => ({
    id,
    factors: atPlace(factors, (levels) => levels[k]),
    runs: runs[k],
    partial_runs: partial_runs[k],
    measures: atPlace(measures, (of): CellMeasure | null => {
      // one after the other: thousands of arrays to take apart would cost the first view some milliseconds
      const n = of.n[k];
      const mean = of.mean[k];
      if (n === null || mean === null) return null;
      const low = of.ci95_low[k];
      const high = of.ci95_high[k];
      return { n, mean, sd: of.sd[k], ci95: low === null || high === null ? null : [low, high] };
    }),
  }));
