// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { tuningOf } from '../../../src/features/recommend/ownHost';
import { type Limit, START_ADVICE, withLimit } from '../../../src/state/advice';
import { lab, posed } from './answers';

const typed = (query: string): string | undefined => {
  const { question } = posed(lab(), query);
  return tuningOf(question, question.aims[0].quantity.name, [])?.command;
};

it('is by the goal that is asked for, where `tune` has it', () => {
  expect(typed('goal=throughput')).toBe('coalescope-host tune eth1 --goal throughput --peer root@HOST');
  expect(typed('goal=latency')).toBe('coalescope-host tune eth1 --goal p99 --peer root@HOST');
  expect(typed('goal=balance')).toBeUndefined();
  expect(tuningOf({ goal: 'latency' }, 'latency_p50_us', [])?.command).toContain('--goal p50 --peer');
});

it('limits the wait where the goal is a cost, as `tune` would ask for it', () => {
  expect(typed('goal=cpu')).toBe('coalescope-host tune eth1 --goal cpu --under delay=100us --peer root@HOST');
  expect(tuningOf({ goal: 'energy' }, undefined, [])?.waitUs).toBe(100);
  expect(tuningOf({ goal: 'throughput' }, undefined, [])?.waitUs).toBeNull();
});

it('takes the limit on the delay that is set here, in the unit of the command', () => {
  const under = (...limits: [string, Limit['limit'], number][]) => {
    const set = limits.reduce<readonly Limit[]>((all, limit) => withLimit(all, ...limit), START_ADVICE.limits);
    return tuningOf({ goal: 'cpu' }, undefined, set)?.command.match(/--under (\S+)/)?.[1];
  };
  expect(under(['delay_us', 'at most', 40])).toBe('delay=40us');
  expect(under(['delay_ticks', 'at most', 80])).toBe('delay=82us');
  expect(under(['moderation_rate_hz', 'at least', 20_000])).toBe('delay=50us');
  expect(under(['throughput_mbps', 'at least', 900], ['mtu_bytes', 'at most', 1500])).toBe('delay=100us');
  expect(under(['delay_us', 'at least', 40])).toBe('delay=100us');
});
