// SPDX-License-Identifier: Apache-2.0
// A panel as shapes, whatever its form.
import { catalogue } from '../../../engine/catalogue';
import type { Shape } from '../../../plots/shapes';
import type { Panel, TablePanel } from '../definition';
import type { CellsBySlug } from '../evaluate';
import { COARSE, FINE, resolve } from '../resolve';
import { barsOf, kindOfBars } from '../table';
import type { Size } from './axes';
import { barsShapes } from './bars';
import { heatMarks, heatShapes, surfaceOf } from './heat';
import { linesShapes } from './lines';

/** What a panel comes to with this data, apart from its size. */
export function painter(panel: Exclude<Panel, TablePanel>, data: CellsBySlug, small = false): (size: Size) => Shape[] {
  if (panel.form === 'lines') {
    const resolved = resolve(panel, catalogue, data, small ? COARSE : FINE);
    return (size) => linesShapes(panel, resolved, size);
  }
  if (panel.form === 'bars') {
    const bars = barsOf(panel, catalogue, data);
    return (size) => barsShapes(panel, bars, kindOfBars(panel), size);
  }
  const z = surfaceOf(panel, catalogue);
  const marks = heatMarks(panel, data);
  return (size) => heatShapes(panel, z, marks, size);
}
