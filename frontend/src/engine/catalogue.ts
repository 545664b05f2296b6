// SPDX-License-Identifier: Apache-2.0
// The built-in models, traced when the page was built: their kernels run in the page's own thread, in the frame that asks.
import { kernels, models, quantities } from 'virtual:models';
import type { BundledModel, Catalogue, Kernels } from '../state/models';

const made = new Map<string, Kernels>();

/** A model's kernels, made once, when somebody first asks for them. */
function kernelsOf(id: string): Kernels {
  const own = made.get(id) ?? kernels[id]();
  made.set(id, own);
  return own;
}

export const catalogue: Catalogue = { models, kernelsOf, quantities };

export const modelById = (id: string): BundledModel | undefined => models.find((m) => m.id === id);
