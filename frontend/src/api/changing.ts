// SPDX-License-Identifier: Apache-2.0
// Changes of an experiment as a whole. Its slug, the address, stays.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { all, body, client } from './client';
import type { components } from './schema';
import type { DeletedExperiment, Experiment } from './types';

export type ExperimentChange = components['schemas']['ExperimentChangeIn'];

function useChange<Sent, Answered>(send: (sent: Sent) => Promise<Answered>) {
  const store = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () =>
      Promise.all(
        [['experiments'], ['deleted-experiments'], ['runs'], ['uploads']].map((queryKey) =>
          store.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export function useChangeExperiment(slug: string) {
  const params = { path: { slug } };
  return useChange((change: ExperimentChange) =>
    body<Experiment>(client.PATCH('/api/experiments/{slug}', { params, body: change })),
  );
}

export function useDeleteExperiment(slug: string) {
  const params = { path: { slug } };
  return useChange<undefined, DeletedExperiment>(() =>
    body<DeletedExperiment>(client.DELETE('/api/experiments/{slug}', { params })),
  );
}

/** The last one first. */
export function useDeletedExperiments() {
  return useQuery({
    queryKey: ['deleted-experiments'],
    queryFn: ({ signal }) => all<DeletedExperiment>('/api/deleted-experiments', signal),
  });
}

export function useRestoreExperiment(slug: string) {
  const params = { path: { slug } };
  return useChange<undefined, Experiment>(() =>
    body<Experiment>(client.POST('/api/experiments/{slug}/restoration', { params })),
  );
}
