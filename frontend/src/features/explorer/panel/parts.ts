// SPDX-License-Identifier: Apache-2.0
// What the panel does not need for the first view.
import { part } from '../../../components/part';

export const ModelNotes = part('What the model says of itself', async () => (await import('./ModelNotes')).default);
export const PinnedSets = part('The pinned sets', async () => (await import('../pins/PinnedSets')).default);
