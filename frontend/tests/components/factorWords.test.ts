// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Quantity } from '../../src/api/types';
import { inWords, levelInWords } from '../../src/components/factorWords';

const quantities = [
  { name: 'mtu_bytes', label: 'MTU', unit: 'bytes' },
  { name: 'delay_us', label: 'Interrupt delay', unit: 'µs' },
  { name: 'workload', label: 'Workload', unit: '' },
] as Quantity[];

it('says a run’s settings as a sentence would', () => {
  expect(inWords({ mtu_bytes: 1500, delay_us: 40, workload: 'request_response' }, 3, quantities)).toBe(
    'MTU 1500, delay 40\u00a0µs, workload request response, replicate 3',
  );
});

it('knows free factors by their name, and says nothing of nothing', () => {
  expect(inWords({ 'factor.queue_depth': 4 }, null, quantities)).toBe('Queue depth 4');
  expect(inWords({}, null, undefined)).toBe('');
});

it('writes a level as people do, and leaves what it does not know', () => {
  const given = ['udp', 'tcp_nodelay', 'request_response', 'e1000', 9000, 'my_own Text_1', '_'];
  expect(given.map(levelInWords)).toEqual([
    'UDP',
    'TCP nodelay',
    'request response',
    'e1000',
    '9000',
    'my_own Text_1',
    '_',
  ]);
});
