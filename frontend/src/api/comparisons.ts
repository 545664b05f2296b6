// SPDX-License-Identifier: Apache-2.0
// What the server knows of replicates, of single runs over time, and of experiments beside each other.
import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { body, client } from './client';
import { cellsOf } from './queries';
import type {
  Comparison,
  Contents,
  Environment,
  Factors,
  Replicates,
  ReplicationPlan,
  RunDetail,
  Variance,
} from './types';

const FOR_GOOD = Number.POSITIVE_INFINITY;

export interface Side {
  readonly slug: string;
  readonly where: Readonly<Record<string, string>>;
}

const texts = (where: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(where).map(([name, level]) => [name, String(level)]));

/** A log does not change once it is stored. */
const contentsOf = (id: string, points: number) =>
  queryOptions({
    queryKey: ['runs', id, 'contents', points],
    queryFn: ({ signal }) =>
      body<Contents>(client.GET('/api/runs/{id}/contents', { params: { path: { id }, query: { points } }, signal })),
    staleTime: FOR_GOOD,
  });

export function useContents(id: string, points: number, wanted = true) {
  return useQuery({ ...contentsOf(id, points), enabled: wanted });
}

export function useContentsOf(ids: readonly string[], points: number) {
  return useQueries({ queries: ids.map((id) => contentsOf(id, points)) });
}

export function useRunsById(ids: readonly string[]) {
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['runs', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        body<RunDetail>(client.GET('/api/runs/{id}', { params: { path: { id } }, signal })),
    })),
  });
}

export function useRunEnvironments(ids: readonly string[]) {
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['runs', id, 'environment'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        body<Environment>(client.GET('/api/runs/{id}/environment', { params: { path: { id } }, signal })),
    })),
  });
}

export function useEnvironments(sides: readonly Side[]) {
  return useQueries({
    queries: sides.map(({ slug, where }) => ({
      queryKey: ['experiments', slug, 'environment', where],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        body<Environment>(
          client.GET('/api/experiments/{slug}/environment', {
            params: { path: { slug }, query: { where: texts(where) } },
            signal,
          }),
        ),
    })),
  });
}

/** The cells of each side. */
export function useCellsOfSides(sides: readonly Side[]) {
  return useQueries({ queries: sides.map(({ slug, where }) => cellsOf(slug, where)) });
}

/** Each of the others against the first. */
export function useComparisons(sides: readonly Side[], measure: string | undefined) {
  const [first, ...others] = sides;
  return useQueries({
    queries: others.map((other) => ({
      queryKey: ['experiments', first.slug, 'comparison', first.where, other, measure],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        body<Comparison>(
          client.GET('/api/comparisons', {
            params: {
              query: { a: first.slug, b: other.slug, measure: measure ?? '', where: oneSided(first, other) },
            },
            signal,
          }),
        ),
      enabled: measure !== undefined,
      placeholderData: keepPreviousData,
    })),
  });
}

/** Levels of one side only: `a.workload=udp`, `b.workload=tcp`. */
function oneSided(a: Side, b: Side): Record<string, string> {
  const named = (letter: string, { where }: Side) =>
    Object.entries(where).map(([name, level]) => [`${letter}.${name}`, level] as const);
  return Object.fromEntries([...named('a', a), ...named('b', b)]);
}

export function useReplicates(slug: string, measure: string | undefined, where: Factors, without: readonly string[]) {
  return useQuery({
    queryKey: ['experiments', slug, 'replicates', measure, where, without],
    queryFn: ({ signal }) =>
      body<Replicates>(
        client.GET('/api/experiments/{slug}/replicates', {
          params: {
            path: { slug },
            query: { measure: measure ?? '', without: without.join(), where: texts(where) },
          },
          signal,
        }),
      ),
    enabled: measure !== undefined,
    placeholderData: keepPreviousData,
  });
}

export function useVariance(
  slug: string,
  measure: string | undefined,
  factors: readonly string[],
  where: Factors,
  without: readonly string[],
) {
  return useQuery({
    queryKey: ['experiments', slug, 'variance', measure, factors, where, without],
    queryFn: ({ signal }) =>
      body<Variance>(
        client.GET('/api/experiments/{slug}/variance', {
          params: {
            path: { slug },
            query: {
              measure: measure ?? '',
              factors: factors.join(),
              without: without.join(),
              where: texts(where),
            },
          },
          signal,
        }),
      ),
    enabled: measure !== undefined && factors.length === 2,
  });
}

export function useReplicationPlan(
  slug: string,
  measure: string | undefined,
  width: number,
  where: Factors,
  without: readonly string[],
) {
  return useQuery({
    queryKey: ['experiments', slug, 'plan', measure, width, where, without],
    queryFn: ({ signal }) =>
      body<ReplicationPlan>(
        client.GET('/api/experiments/{slug}/replication-plan', {
          params: {
            path: { slug },
            query: {
              measure: measure ?? '',
              width_percent: width,
              without: without.join(),
              where: texts(where),
            },
          },
          signal,
        }),
      ),
    enabled: measure !== undefined,
    placeholderData: keepPreviousData,
  });
}
