// SPDX-License-Identifier: Apache-2.0
// A figure as the file that was chosen.
import type { FigureExport } from './figureExport';
import { fileName, save, saveFrom } from './save';

export type Format = 'svg' | 'png' | 'csv' | 'json' | 'html';

export async function handOut(figure: FigureExport, format: Format): Promise<void> {
  const name = fileName(figure.title, format);
  if (format === 'svg' && figure.svg) save(new Blob([await figure.svg()], { type: 'image/svg+xml' }), name);
  else if (format === 'png' && figure.svg) save(await (await import('./png')).pngOf(await figure.svg()), name);
  else if (format === 'csv' && figure.csv) save(new Blob([await figure.csv()], { type: 'text/csv' }), name);
  else if (format === 'json' && figure.json) save(new Blob([await figure.json()], { type: 'application/json' }), name);
  else if (format === 'html' && figure.offline) save(await figure.offline(), name);
  else if (format === 'csv' && figure.csvHref) await saveFrom(figure.csvHref, name);
  else if (format === 'json' && figure.jsonHref) await saveFrom(figure.jsonHref, name);
}
