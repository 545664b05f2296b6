// SPDX-License-Identifier: Apache-2.0
// The server's data as React state: one hook for each thing the page reads or changes.
import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { startWork } from '../state/pendingWork';
import { askForCells } from './cells';
import { all, body, client } from './client';
import { currentCopy } from './copy';
import { ApiError } from './errors';
import { follow } from './events';
import { askAgainAfterOutages } from './outage';
import type {
  Cells,
  Change,
  Correction,
  Experiment,
  ExperimentSummary,
  Factors,
  Fit,
  FitRequest,
  Model,
  NonlinearFit,
  NonlinearFitRequest,
  Quantity,
  Run,
  RunDetail,
  RunList,
  ShortLink,
  UploadedCell,
  UploadReceipt,
} from './types';

const FRESH_MS = 30_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The server is often this machine: whether the browser believes in a network says nothing.
      networkMode: 'always',
      // What the server refused it will refuse again; what it could not answer it may answer now.
      retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
      retryDelay: 400,
    },
  },
});

askAgainAfterOutages(queries);

let answered: (() => void) | null = null;
queries.getQueryCache().subscribe(() => {
  if (queries.isFetching() > 0) answered ??= startWork();
  else {
    answered?.();
    answered = null;
  }
});

/** What does not change while the server runs. */
const FOR_GOOD = Number.POSITIVE_INFINITY;

export function useQuantities() {
  return useQuery({
    queryKey: ['quantities'],
    queryFn: ({ signal }) => body<Quantity[]>(client.GET('/api/quantities', { signal })),
    staleTime: FOR_GOOD,
  });
}

export function useModels() {
  return useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => body<Model[]>(client.GET('/api/models', { signal })),
    staleTime: FOR_GOOD,
  });
}

export const experimentList = queryOptions({
  queryKey: ['experiments'],
  queryFn: ({ signal }) => all<ExperimentSummary>('/api/experiments', signal),
});

export function useExperiments(enabled = true) {
  return useQuery({ ...experimentList, enabled });
}

export const LOOK_FOR_SWEEPS_MS = 10_000;

const experimentOf = (slug: string) =>
  queryOptions({
    queryKey: ['experiments', slug],
    queryFn: ({ signal }) =>
      body<Experiment>(client.GET('/api/experiments/{slug}', { params: { path: { slug } }, signal })),
  });

export function useExperiment(slug: string) {
  return useQuery({ ...experimentOf(slug), enabled: slug !== '' });
}

/** Every cell with every measure; the page makes all its surfaces from it. */
export function useCells(slug: string, where: Factors = {}, without: readonly string[] = []) {
  return useQuery({ ...cellsOf(slug, where, without), placeholderData: keepPreviousData, enabled: slug !== '' });
}

/** The cells of several experiments, each for itself: what comes is used, what does not is said. */
export function useCellsOf(slugs: readonly string[]) {
  return useQueries({ queries: slugs.map((slug) => cellsOf(slug, {})) });
}

export function cellsOf(slug: string, where: Factors, without: readonly string[] = []) {
  const chosen = Object.entries(where).map(([name, value]) => [name, String(value)]);
  const query = {
    // an empty one leaves a mark in the address, which the document does not name (backend: page/preload.py)
    where: chosen.length > 0 ? Object.fromEntries(chosen) : undefined,
    ...(without.length > 0 ? { without: without.join() } : {}),
  };
  return queryOptions({
    queryKey: ['experiments', slug, 'cells', query],
    queryFn: ({ signal }) => askForCells(slug, query, signal),
  });
}

const changeKey = (slug: string) => ['changes', slug] as const;

/** What an experiment's data and sweeps are: asked for now and then, and kept by the stream where it is followed. */
export function useChange(slug: string) {
  return useQuery({
    queryKey: changeKey(slug),
    queryFn: ({ signal }) =>
      body<Change>(client.GET('/api/experiments/{slug}/sweeps', { params: { path: { slug } }, signal })),
    enabled: currentCopy() === null,
    refetchInterval: LOOK_FOR_SWEEPS_MS,
    retry: false,
  });
}

/** While `on`, changes come by themselves. */
export function useFollowed(slug: string, on: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!on) return;
    const ended = new AbortController();
    follow<Change>(
      `/api/experiments/${encodeURIComponent(slug)}/events`,
      (change) => queries.setQueryData(changeKey(slug), change),
      ended.signal,
    );
    return () => ended.abort();
  }, [queries, slug, on]);
}

/** Asks for experiment and cells again when the store has newer data than `dataVersion`; null: none came yet. */
export function useNewerData(slug: string, dataVersion: number | null | undefined): void {
  const queries = useQueryClient();
  const newest = useChange(slug).data?.data_version ?? null;
  // where none come, each version is a reason to ask again once, not for ever
  const asked = useRef(-1);
  useEffect(() => {
    if (newest === null || dataVersion === undefined || newest <= (dataVersion ?? asked.current)) return;
    asked.current = newest;
    queries.invalidateQueries({ queryKey: ['experiments', slug], exact: true });
    queries.invalidateQueries({ queryKey: ['experiments', slug, 'cells'] });
  }, [queries, slug, newest, dataVersion]);
}

/** Asks for an experiment and its cells before the page that shows them is there. */
export async function fetchAhead(slug: string): Promise<{ experiment: Experiment; cells: Cells }> {
  const [experiment, cells] = await Promise.all([
    queries.ensureQueryData(experimentOf(slug)),
    queries.ensureQueryData(cellsOf(slug, {})),
  ]);
  return { experiment, cells };
}

/** Resolves when the answer is here, or did not come. */
export function prefetchFit(slug: string, request: FitRequest, dataVersion: number): Promise<void> {
  return queries.prefetchQuery(fitOf(slug, request, dataVersion));
}

/** One page of a list of runs; null: not known yet what to ask for. */
export function useRuns(slug: string, list: RunList | null) {
  return useQuery({
    queryKey: ['experiments', slug, 'runs', list],
    queryFn: ({ signal }) =>
      body<{ total: number; runs: Run[] }>(
        client.GET('/api/experiments/{slug}/runs', { params: { path: { slug }, query: list ?? {} }, signal }),
      ),
    enabled: list !== null,
    placeholderData: keepPreviousData,
  });
}

export function useRun(id: string) {
  return useQuery({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => body<RunDetail>(client.GET('/api/runs/{id}', { params: { path: { id } }, signal })),
  });
}

/** How many runs of each cell came with these uploads, by the ids of their receipts; null until all are known. */
export function useCellsOfUploads(ids: readonly string[]): UploadedCell[] | null {
  const asked = useQueries({
    queries: ids.map((identity) => ({
      queryKey: ['uploads', identity, 'cells'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        body<UploadedCell[]>(client.GET('/api/uploads/{identity}/cells', { params: { path: { identity } }, signal })),
      staleTime: FOR_GOOD,
    })),
  });
  return asked.every(({ data }) => data) ? asked.flatMap(({ data }) => data ?? []) : null;
}

export function useRecentUploads(limit: number) {
  return useQuery({
    queryKey: ['uploads', limit],
    queryFn: ({ signal }) =>
      body<UploadReceipt[]>(client.GET('/api/uploads', { params: { query: { limit } }, signal })),
  });
}

/** A fit by the server. Kept per request: the same question has the same answer while the data stands. */
export function useFit(slug: string, request: FitRequest | null, dataVersion?: number) {
  return useQuery({
    ...fitOf(slug, request, dataVersion),
    enabled: request !== null && slug !== '',
    placeholderData: keepPreviousData,
  });
}

function fitOf(slug: string, request: FitRequest | null, dataVersion?: number) {
  return queryOptions({
    queryKey: ['experiments', slug, 'fits', request, dataVersion],
    queryFn: ({ signal }) =>
      body<Fit>(
        client.POST('/api/experiments/{slug}/fits', {
          params: { path: { slug } },
          body: request as FitRequest,
          signal,
        }),
      ),
    staleTime: FOR_GOOD,
  });
}

/** A fit of parameters of any model, asked for by hand. */
export function useNonlinearFit() {
  return useMutation({
    mutationFn: ({ slug, request }: { slug: string; request: NonlinearFitRequest }) =>
      body<NonlinearFit>(
        client.POST('/api/experiments/{slug}/nonlinear-fits', { params: { path: { slug } }, body: request }),
      ),
  });
}

export type RunChange =
  | { change: 'retraction' | 'restoration'; reason: string }
  | ({ change: 'correction' } & Correction);

function sendChange(id: string, { change, ...sent }: RunChange): Promise<RunDetail> {
  const params = { path: { id } };
  if (change === 'correction')
    return body<RunDetail>(client.POST('/api/runs/{id}/correction', { params, body: sent as Correction }));
  if (change === 'retraction') return body<RunDetail>(client.POST('/api/runs/{id}/retraction', { params, body: sent }));
  return body<RunDetail>(client.POST('/api/runs/{id}/restoration', { params, body: sent }));
}

/** Retract, restore or correct a run. Its history is kept. */
export function useChangeRun(id: string) {
  const store = useQueryClient();
  return useMutation({
    mutationFn: (change: RunChange) => sendChange(id, change),
    onSuccess: () =>
      Promise.all([
        store.invalidateQueries({ queryKey: ['runs', id] }),
        store.invalidateQueries({ queryKey: ['experiments'] }),
      ]),
  });
}

export function createLink(path: string): Promise<ShortLink> {
  return body<ShortLink>(client.POST('/api/links', { body: { path } }));
}

export function useLink(token: string) {
  return useQuery({
    queryKey: ['links', token],
    queryFn: ({ signal }) => body<ShortLink>(client.GET('/api/links/{token}', { params: { path: { token } }, signal })),
    staleTime: FOR_GOOD,
  });
}
