// SPDX-License-Identifier: Apache-2.0
// What the panel does not need for the first view.
import { lazyPart } from '../../../components/lazyPart';

export const ModelNotes = lazyPart('What the model says of itself', async () => (await import('./ModelNotes')).default);
export const PinnedSets = lazyPart('The pinned sets', async () => (await import('../pins/PinnedSets')).default);
export const IdleLoad = lazyPart('Idle load', async () => (await import('./IdleLoad')).IdleLoad);
export const WithoutProbes = lazyPart(
  'Costs without counting',
  async () => (await import('./WithoutProbes')).WithoutProbes,
);
