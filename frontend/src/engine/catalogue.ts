// SPDX-License-Identifier: Apache-2.0
// The built-in models, traced when the page was built: their kernels run in the page's own thread, in the frame that asks.
import { kernels, models, quantities } from 'virtual:models';
import type { BundledModel, Catalogue } from '../state/models';

export const catalogue: Catalogue = { models, kernels, quantities };

export const modelById = (id: string): BundledModel | undefined => models.find((m) => m.id === id);
