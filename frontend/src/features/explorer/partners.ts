// SPDX-License-Identifier: Apache-2.0
// Which experiments an experiment can be set against. No DOM.
import type { ExperimentSummary } from '../../api/types';

/** Those with the measure, and those with more measures than the list names: they may have it. */
export function partnersOf(all: readonly ExperimentSummary[], own: string, measure: string): ExperimentSummary[] {
  return all.filter(
    ({ slug, measures, measure_count }) =>
      slug !== own && (measures.includes(measure) || measures.length < measure_count),
  );
}
