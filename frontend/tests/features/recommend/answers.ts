// SPDX-License-Identifier: Apache-2.0
// An experiment with three measures, and answers as the server would give them.
import type { Candidate, Factors, Recommendation } from '../../../src/api/types';
import { catalogue } from '../../../src/engine/catalogue';
import { isRefusal, type Question, questionOf, type Refusal } from '../../../src/features/recommend/question';
import type { Advice } from '../../../src/state/advice';
import { type DataSlice, slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import type { ExperimentSubject } from '../../../src/state/subject';
import { schemaOf } from '../../../src/state/viewSchema';
import { designed } from '../../designs';

export const lab = (): ExperimentSubject =>
  designed('lab', { mtu_bytes: [1500, 9000], delay_us: [10, 40, 100, 320], workload: ['tcp', 'udp'] }, [
    'throughput_mbps',
    'traffic_cpu_s_per_gb',
    'latency_us',
  ]);

export interface Posed {
  readonly question: Question | Refusal;
  readonly slice: DataSlice;
}

export function pose(subject: ExperimentSubject, query: string, advice: Partial<Advice> = {}): Posed {
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(query, schemaOf(subject, slices));
  const slice = slices(state);
  return { question: questionOf(subject, slice, { ...state, advice: { ...state.advice, ...advice } }), slice };
}

export function posed(subject: ExperimentSubject, query: string): { question: Question; slice: DataSlice } {
  const { question, slice } = pose(subject, query);
  if (isRefusal(question)) throw new Error(question.reason);
  return { question, slice };
}

export function candidate(factors: Factors, means: Record<string, number>, rest: Partial<Candidate> = {}): Candidate {
  return {
    factors,
    n: 6,
    means,
    ci95: {},
    loss_percent: 0,
    gain_percent: 100,
    surely_allowed: true,
    allowed: true,
    resolved: true,
    runs_to_resolve: null,
    ...rest,
  };
}

export function answered(candidates: Candidate[], rest: Partial<Recommendation> = {}): Recommendation {
  return {
    answer: 0,
    choices: [0],
    guards: [],
    reference: null,
    reference_means: {},
    basis: 'least',
    effects: [],
    equals: [],
    ask: [],
    cautions: [],
    experiment: 'lab',
    data_version: 1,
    model: null,
    where: {},
    means_of: null,
    costs: [],
    left_out: 0,
    without: [],
    best: 0,
    enough: 0,
    candidates,
    indistinguishable: [],
    good_enough: [0],
    tolerance_percent: 2,
    frontier: [0],
    message: null,
    commands: null,
    ...rest,
  };
}

const FAST: readonly (readonly [number, number, number, number])[] = [
  [1500, 40, 200, 13.2],
  [1500, 10, 199.2, 15.6],
  [9000, 40, 196, 10.4],
  [9000, 10, 195, 12.1],
  [1500, 100, 183, 12],
  [9000, 100, 181, 9.9],
  [1500, 320, 133, 11],
  [9000, 320, 131, 9.1],
];

/** Eight settings: the first is the best, the second not told from it, the last two below a limit. */
export const eight = (rest: Partial<Recommendation> = {}): Recommendation =>
  answered(
    FAST.map(([mtu_bytes, delay_us, throughput_mbps, traffic_cpu_s_per_gb], i) =>
      candidate(
        { mtu_bytes, delay_us, workload: 'tcp' },
        { throughput_mbps, traffic_cpu_s_per_gb },
        {
          loss_percent: 100 * (1 - throughput_mbps / 200),
          resolved: i > 1,
          runs_to_resolve: i === 1 ? 24 : null,
          allowed: i < 6,
        },
      ),
    ),
    { indistinguishable: [1], choices: [0, 1], enough: 1, frontier: [0, 2, 5], ...rest },
  );
