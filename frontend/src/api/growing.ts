// SPDX-License-Identifier: Apache-2.0
// What a page asks again by itself: the list of experiments, and the data sets that are being loaded.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { body, client } from './client';
import { currentCopy } from './copy';
import { experimentList, LOOK_FOR_SWEEPS_MS } from './queries';
import type { DatasetState, Health } from './types';

const LOOK_AGAIN_MS = 1000;
const EACH_MS = 100;

/** The same where the list is the page: it may stay open for long, and what is new appears in it. */
export function useGrowingExperiments() {
  const grows = currentCopy() === null;
  return useQuery({
    ...experimentList,
    // a long list costs the server no more than a short one
    refetchInterval: ({ state }) => grows && Math.max(LOOK_FOR_SWEEPS_MS, EACH_MS * (state.data?.length ?? 0)),
    refetchOnWindowFocus: grows && 'always',
  });
}

/** Data sets that the server is still loading, or could not load. As they arrive the experiments are asked for again. */
export function useDatasetStates(): DatasetState[] {
  const queries = useQueryClient();
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => body<Health>(client.GET('/api/health', { signal })),
    enabled: currentCopy() === null,
    refetchInterval: ({ state }) => state.data?.datasets.some((d) => d.state === 'loading') && LOOK_AGAIN_MS,
  });
  const waiting = health.data?.datasets.length ?? 0;
  const [before, setBefore] = useState(waiting);
  useEffect(() => {
    if (waiting < before) queries.invalidateQueries({ queryKey: ['experiments'] });
    setBefore(waiting);
  }, [waiting, before, queries]);
  return health.data?.datasets ?? [];
}
