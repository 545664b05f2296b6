// SPDX-License-Identifier: Apache-2.0
// What the server recommends: of the runs of an experiment, or of what a model predicts.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { body, client } from './client';
import type { ModelRecommendationRequest, Recommendation, RecommendationRequest } from './types';

const FOR_GOOD = Number.POSITIVE_INFINITY;

export type Asked =
  | { readonly of: 'runs'; readonly slug: string; readonly request: RecommendationRequest }
  | { readonly of: 'model'; readonly request: ModelRecommendationRequest };

export function ask(asked: Asked, signal?: AbortSignal): Promise<Recommendation> {
  if (asked.of === 'model')
    return body<Recommendation>(client.POST('/api/recommendations', { body: asked.request, signal }));
  const params = { path: { slug: asked.slug } };
  return body<Recommendation>(
    client.POST('/api/experiments/{slug}/recommendations', { params, body: asked.request, signal }),
  );
}

/** The same question has the same answer while the data stands. While the next is on its way the last one stays. */
export function useRecommendation(asked: Asked | null, dataVersion?: number) {
  const slug = asked?.of === 'runs' ? asked.slug : '';
  return useQuery({
    queryKey: ['experiments', slug, 'recommendations', asked?.request, dataVersion],
    queryFn: ({ signal }) => ask(asked as Asked, signal),
    enabled: asked !== null,
    staleTime: FOR_GOOD,
    placeholderData: keepPreviousData,
  });
}
