// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { ExperimentSummary } from '../../../src/api/types';
import { partnersOf } from '../../../src/features/explorer/partners';

const experiment = (slug: string, measures: readonly string[], measure_count = measures.length) =>
  ({ slug, measures, measure_count }) as unknown as ExperimentSummary;

it('names others that have the measure, or more measures than the list names', () => {
  const all = [
    experiment('own', ['cpu']),
    experiment('same', ['packets', 'cpu']),
    experiment('another', ['packets']),
    experiment('many', ['packets'], 2_000),
  ];
  expect(partnersOf(all, 'own', 'cpu').map(({ slug }) => slug)).toEqual(['same', 'many']);
});
