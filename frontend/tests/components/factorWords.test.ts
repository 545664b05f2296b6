// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Quantity } from '../../src/api/types';
import { inWords } from '../../src/components/factorWords';

const quantities = [
  { name: 'mtu_bytes', label: 'MTU', unit: 'bytes' },
  { name: 'delay_us', label: 'Interrupt delay', unit: 'µs' },
  { name: 'workload', label: 'Workload', unit: '' },
] as Quantity[];

it('says a run’s settings as a sentence would', () => {
  expect(inWords({ mtu_bytes: 1500, delay_us: 40, workload: 'udp' }, 3, quantities)).toBe(
    'MTU 1500, delay 40\u00a0µs, workload udp, replicate 3',
  );
});

it('knows free factors by their name, and says nothing of nothing', () => {
  expect(inWords({ 'factor.queue_depth': 4 }, null, quantities)).toBe('Queue depth 4');
  expect(inWords({}, null, undefined)).toBe('');
});
