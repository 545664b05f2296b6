// SPDX-License-Identifier: Apache-2.0
// Adaptive moderation, played over the traffic that an experiment's runs recorded.
import { useQuery } from '@tanstack/react-query';
import { body, client } from './client';
import type { Factors, PolicyTrial } from './types';

const FOR_GOOD = Number.POSITIVE_INFINITY;

/** What counts: CPU time of an interrupt and of a packet, and what a microsecond that a packet waits is worth in CPU time. */
export const PRICE = { interrupt_cost_us: 3, packet_cost_us: 1.5, wait_weight: 0.1 };

/** Linux's DIM on one traffic, and a profile of its own where no shipped one fits. */
export function useAdaptive(experiment: string, where: Factors, dataVersion: number | undefined, wanted: boolean) {
  return useQuery({
    queryKey: ['experiments', experiment, 'adaptive', where, dataVersion],
    queryFn: ({ signal }) =>
      body<PolicyTrial>(
        client.POST('/api/policies/trials', {
          body: { policy: 'dim', traffic: { kind: 'recorded', experiment, where }, propose: true, ...PRICE },
          signal,
        }),
      ),
    enabled: wanted,
    staleTime: FOR_GOOD,
  });
}
