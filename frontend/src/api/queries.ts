// SPDX-License-Identifier: Apache-2.0
// The server's data as React state: one hook for each thing the page reads or changes.
import { keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, post } from './client';
import { ApiError } from './errors';
import type {
  Cells,
  Experiment,
  ExperimentSummary,
  Factors,
  Fit,
  FitRequest,
  Model,
  Quantity,
  Run,
  RunDetail,
  ShortLink,
  UploadReceipt,
} from './types';

const FRESH_MS = 30_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // What the server refused it will refuse again; what it could not answer it may answer now.
      retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
      retryDelay: 400,
    },
  },
});

const slugPath = (slug: string) => `/api/experiments/${encodeURIComponent(slug)}`;
const runPath = (id: string) => `/api/runs/${encodeURIComponent(id)}`;

export function useQuantities() {
  return useQuery({
    queryKey: ['quantities'],
    queryFn: ({ signal }) => get<Quantity[]>('/api/quantities', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useModels() {
  return useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => get<Model[]>('/api/models', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useExperiments() {
  return useQuery({
    queryKey: ['experiments'],
    queryFn: ({ signal }) => get<ExperimentSummary[]>('/api/experiments', {}, signal),
  });
}

export function useExperiment(slug: string) {
  return useQuery({
    queryKey: ['experiments', slug],
    queryFn: ({ signal }) => get<Experiment>(slugPath(slug), {}, signal),
    enabled: slug !== '',
  });
}

/** Every cell with every measure; the page makes all its surfaces from it. */
export function useCells(slug: string, where: Factors = {}) {
  return useQuery({
    queryKey: ['experiments', slug, 'cells', where],
    queryFn: ({ signal }) => get<Cells>(`${slugPath(slug)}/cells`, where, signal),
    placeholderData: keepPreviousData,
    enabled: slug !== '',
  });
}

export function useRuns(slug: string, page: { limit: number; offset: number; cell?: number }) {
  return useQuery({
    queryKey: ['experiments', slug, 'runs', page],
    queryFn: ({ signal }) => get<{ total: number; runs: Run[] }>(`${slugPath(slug)}/runs`, page, signal),
    placeholderData: keepPreviousData,
  });
}

export function useRun(id: string) {
  return useQuery({ queryKey: ['runs', id], queryFn: ({ signal }) => get<RunDetail>(runPath(id), {}, signal) });
}

export function useRecentUploads(limit: number) {
  return useQuery({
    queryKey: ['uploads', limit],
    queryFn: ({ signal }) => get<UploadReceipt[]>('/api/uploads', { limit }, signal),
  });
}

/** A fit by the server. Kept per request: the same question has the same answer while the data stands. */
export function useFit(slug: string, request: FitRequest | null, dataVersion?: number) {
  return useQuery({
    queryKey: ['experiments', slug, 'fits', request, dataVersion],
    queryFn: () => post<Fit>(`${slugPath(slug)}/fits`, request),
    enabled: request !== null && slug !== '',
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}

export type RunChange =
  | { change: 'retraction' | 'restoration'; reason: string }
  | { change: 'correction'; reason: string; factors: Factors; replicate?: number };

/** Retract, restore or correct a run. Its history is kept. */
export function useChangeRun(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, ...body }: RunChange) => post<RunDetail>(`${runPath(id)}/${change}`, body),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['runs', id] }),
        client.invalidateQueries({ queryKey: ['experiments'] }),
      ]),
  });
}

export function createLink(path: string): Promise<ShortLink> {
  return post<ShortLink>('/api/links', { path });
}

export function useLink(token: string) {
  return useQuery({
    queryKey: ['links', token],
    queryFn: ({ signal }) => get<ShortLink>(`/api/links/${encodeURIComponent(token)}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
