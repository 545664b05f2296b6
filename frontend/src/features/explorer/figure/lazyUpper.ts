// SPDX-License-Identifier: Apache-2.0
// The drawings of upper.ts come in a chunk of their own, when one is asked for.
import type { Figure } from '../../../state/figure';
import type { Upper, Uppers } from './upper';

let known: Uppers | null = null;
let loading: Promise<void> | null = null;

/** The drawings of a figure; null while they are on their way, then `arrived` is called. */
export function upperOf(figure: Figure, arrived: () => void): Upper | null {
  if (figure === 'map') return null;
  if (known) return known[figure];
  loading ??= import('./uppers').then(({ UPPERS }) => {
    known = UPPERS;
  });
  loading.then(arrived, () => {
    // a chunk that did not come is asked for again with the next frame that wants it
    loading = null;
  });
  return null;
}
