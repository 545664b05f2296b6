// SPDX-License-Identifier: Apache-2.0
import { brief } from '../../../plots/number';

/** A mark's value, half of its 95 % interval, and its runs, as far as they are known. */
export function markText(value: number, half: number | null, n?: number): string {
  return `${brief(value, 5)}${half === null ? '' : ` ± ${brief(half, 3)}`}${n ? `, n = ${n}` : ''}`;
}
