// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { EXPECTED, slicesOf } from '../../src/state/dataSlice';
import { schemaOf } from '../../src/state/viewSchema';
import { nfs, points } from '../published';

it('keeps the workloads apart', () => {
  const slices = slicesOf(points(), catalogue);
  const { axes } = schemaOf(points(), slices).defaults;
  const tcp = slices({ axes, where: { workload: 'tcp' } });
  expect(tcp.measures.map((m) => m.name)).toEqual(['throughput_mbps']);
  expect(tcp.missing.map((m) => m.name)).toContain('packets_per_interrupt');
});

it('prefers a model that takes what the cells counted', () => {
  const slices = slicesOf(nfs(), catalogue);
  const ids = slices(schemaOf(nfs(), slices).defaults)
    .models('system_cpu_jiffies_per_gb')
    .map((m) => m.id);
  expect(ids[0]).toBe('cpu-overhead-surface');
  expect(ids).toContain('cpu-overhead-open-loop');
  expect(ids.at(-1)).toBe('none');
});

it('expects quantities that there are', () => {
  const names = catalogue.quantities.map((q) => q.name);
  expect(EXPECTED.filter((name) => !names.includes(name))).toEqual([]);
});
