// SPDX-License-Identifier: Apache-2.0
// Which experiments can be set beside each other: those that varied the same and measured the same. No DOM.
import type { ExperimentSummary } from '../../api/types';

const MOST_OFFERED = 6;

export interface Offer {
  readonly a: ExperimentSummary;
  readonly b: ExperimentSummary;
  /** Labels of the factors that both varied. */
  readonly factors: readonly string[];
  /** How many of the measures that the list names both have. */
  readonly measures: number;
  /** Whether the list names all of either's. */
  readonly all: boolean;
}

const named = ({ measures, measure_count }: ExperimentSummary) => measures.length === measure_count;
const varied = ({ factors }: ExperimentSummary) => factors.filter(({ level_count }) => level_count > 1);

function offerOf(a: ExperimentSummary, b: ExperimentSummary): Offer {
  const own = new Set(varied(b).map(({ name }) => name));
  const factors = varied(a).filter(({ name }) => own.has(name));
  return {
    a,
    b,
    factors: factors.map(({ label }) => label),
    measures: a.measures.filter((name) => b.measures.includes(name)).length,
    all: named(a) && named(b),
  };
}

/** Pairs, in the order of the list, those with the most factors and measures in common first. */
export function offersOf(experiments: readonly ExperimentSummary[]): readonly Offer[] {
  const filled = experiments.filter(({ cells }) => cells > 0);
  return filled
    .flatMap((a, k) => filled.slice(k + 1).map((b) => offerOf(a, b)))
    .filter(({ factors, measures }) => factors.length > 0 && measures > 0)
    .sort((one, other) => other.factors.length - one.factors.length || other.measures - one.measures)
    .slice(0, MOST_OFFERED);
}
