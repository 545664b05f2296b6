// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { namesApart } from '../../../src/features/explorer/rail/Measures';

const named = (...names: string[]) => namesApart(catalogue.quantities.filter(({ name }) => names.includes(name)));

it('no two measures of a list are called alike', () => {
  const names = [...namesApart(catalogue.quantities).values()];
  expect(names.length).toBeGreaterThan(60);
  expect(new Set(names).size).toBe(names.length);
});

it('one measure in two units has them in its names, and one alone has its short name', () => {
  expect(
    [...named('traffic_cpu_jiffies_per_gb', 'traffic_cpu_s_per_gb', 'system_cpu_s_per_gb').values()].sort(),
  ).toEqual(['System CPU time', 'Traffic CPU time, jiffies', 'Traffic CPU time, s']);
  expect([...named('traffic_cpu_s', 'traffic_cpu_s_per_gb').values()].sort()).toEqual([
    'Traffic CPU time',
    'Traffic CPU time per 10⁹ bytes',
  ]);
});
