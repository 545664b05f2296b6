// SPDX-License-Identifier: Apache-2.0
// The drawings of mainChart.ts come in a chunk of their own, when one is asked for.
import type { Figure } from '../../../state/figure';
import type { MainChart, MainCharts } from './mainChart';

let known: MainCharts | null = null;
let loading: Promise<void> | null = null;

/** The drawings of a figure; null while they load, then `arrived` is called. */
export function mainChartOf(figure: Figure, arrived: () => void): MainChart | null {
  if (figure === 'map') return null;
  if (known) return known[figure];
  loading ??= import('./mainCharts').then(({ MAIN_CHARTS }) => {
    known = MAIN_CHARTS;
  });
  loading.then(arrived, () => {
    // a chunk that did not come is asked for again with the next frame that wants it
    loading = null;
  });
  return null;
}
