// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Cell, ExperimentSummary } from '../../../src/api/types';
import { offersOf } from '../../../src/features/compare/offers';
import { apartFactors } from '../../../src/features/compare/panels';

const factor = (name: string, levels: number) => ({ name, label: name, level_count: levels });

const experiment = (
  slug: string,
  factors: readonly [string, number][],
  measures: readonly string[],
  cells = 4,
  more = 0,
) =>
  ({
    slug,
    title: slug,
    cells,
    measures,
    measure_count: measures.length + more,
    factors: factors.map(([name, levels]) => factor(name, levels)),
  }) as unknown as ExperimentSummary;

describe('what can be compared', () => {
  const study = experiment(
    'study',
    [
      ['mtu', 3],
      ['delay', 9],
    ],
    ['packets', 'cpu'],
  );
  const again = experiment(
    'again',
    [
      ['mtu', 4],
      ['delay', 7],
    ],
    ['packets', 'latency'],
  );

  it('are pairs that varied the same and measured the same, those with most in common first', () => {
    const other = experiment('other', [['delay', 5]], ['packets', 'cpu']);
    const offers = offersOf([study, other, again]);
    expect(offers.map(({ a, b }) => [a.slug, b.slug])).toEqual([
      ['study', 'again'],
      ['study', 'other'],
      ['other', 'again'],
    ]);
    expect(offers[0]).toMatchObject({ factors: ['mtu', 'delay'], measures: 1, all: true });
  });

  it('may have more measures in common than the list names', () => {
    const many = experiment('many', [['delay', 5]], ['packets', 'cpu'], 4, 1_000);
    expect(offersOf([study, many])).toMatchObject([{ measures: 2, all: false }]);
  });

  it('is nothing that is empty, was held fixed, or measured something else', () => {
    const empty = experiment('empty', [['delay', 9]], ['cpu'], 0);
    const fixed = experiment('fixed', [['delay', 1]], ['cpu']);
    const apart = experiment('apart', [['delay', 4]], ['power']);
    expect(offersOf([study, empty, fixed, apart])).toEqual([]);
  });
});

describe('sides without a setting in common', () => {
  const at = (workload: string, mtu: number) => ({ factors: { mtu, workload } }) as unknown as Cell;

  it('are apart in a factor of both, with the levels of each', () => {
    expect(apartFactors([at('nfs', 1500)], [at('udp', 1500), at('tcp', 9000)])).toEqual([
      { name: 'workload', levels: [['nfs'], ['udp', 'tcp']] },
    ]);
    expect(apartFactors([at('nfs', 1500)], [at('nfs', 1500)])).toEqual([]);
    expect(apartFactors([], [at('nfs', 1500)])).toEqual([]);
  });
});
