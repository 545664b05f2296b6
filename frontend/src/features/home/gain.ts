// SPDX-License-Identifier: Apache-2.0
// What a setting saves, in words. No DOM.
import { decimal } from '../../plots/number';

/** A share that is said as none: half a per cent. */
const NONE_PERCENT = 0.5;

/** "28 % less CPU" of a cost `now` beside that of a `reference`; both in one unit, above zero. */
export function gainWords(now: number, reference: number): string {
  if (!(now > 0 && reference > 0)) return 'No value here';
  const percent = 100 * (1 - now / reference);
  if (Math.abs(percent) < NONE_PERCENT) return 'As much CPU';
  return `${decimal(Math.abs(percent), 0)} % ${percent > 0 ? 'less' : 'more'} CPU`;
}
