// SPDX-License-Identifier: Apache-2.0
// Experiments with other factors than MTU and delay, and a large one: their numbers are drawn, not measured.
import type { Cell, FactorValue } from '../src/api/types';
import type { ExperimentSubject } from '../src/state/subject';
import { experimentOf } from './published';
import { generator } from './random';

type Design = Readonly<Record<string, readonly FactorValue[]>>;
function combinations(design: Design): Record<string, FactorValue>[] {
  let rows: Record<string, FactorValue>[] = [{}];
  for (const [name, levels] of Object.entries(design))
    rows = rows.flatMap((row) => levels.map((level) => ({ ...row, [name]: level })));
  return rows;
}

/** Every combination of the levels, `runs` runs each. */
export function designed(slug: string, design: Design, measures: readonly string[], runs = 5): ExperimentSubject {
  const random = generator(slug.length);
  const cells = combinations(design).map((factors, id): Cell => {
    const values = measures.map((name, m) => {
      const mean = 100 * (m + 1) * (1 + random());
      return [name, { n: runs, mean, sd: mean / 50, ci95: [mean * 0.98, mean * 1.02] as [number, number] }] as const;
    });
    return { id, factors, runs, partial_runs: 0, measures: Object.fromEntries(values) };
  });
  return { of: 'experiment', experiment: { ...experimentOf(slug, cells), kind: 'measured' }, cells };
}

/** A driver's bench: names, numbers, a nought, a name with a comma and one that an address has a word for. */
export const bench = (): ExperimentSubject =>
  designed(
    'bench',
    {
      driver_version: ['6.1', '6.8, patched', 'none', '<b>&=%2C</b>'],
      napi_weight: [8, 16, 64, 300],
      moderation_rate_hz: [1000, 8000, 40000],
      packet_rate_hz: [0, 1000, 10000, 100000],
    },
    ['system_cpu_percent', 'throughput_mbps', 'latency_us'],
  );
