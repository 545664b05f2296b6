// SPDX-License-Identifier: Apache-2.0
// Measures that addresses still name. No DOM.

/** The measure that says what the name of one that is no more promised (RETIRED in coalescope_models/vocabulary/quantity.py), or null. */
export const successorOf = (name: string | undefined): string | null =>
  name?.startsWith('receiver_cpu_') ? name.replace('receiver_', 'traffic_') : null;
