// SPDX-License-Identifier: Apache-2.0
// Events and counts as the page says them.
import { decimal } from '../../plots/number';
import { apart } from './prediction';
import type { Happening } from './simulation/record';

const packets = (n: number): string => (n === 1 ? '1 packet' : `${decimal(n, 0)} packets`);

export function happeningWords({ what, n, packets: count }: Happening): string {
  switch (what) {
    case 'arrived':
      return `Packet ${decimal(n, 0)} is in the ring: ${packets(count)} there`;
    case 'lost':
      return `Packet ${decimal(n, 0)} is lost: no room`;
    case 'started':
      return `Packet ${decimal(n, 0)} starts the timer`;
    case 'expired':
      return `The timer has run out: ${packets(count)} waiting`;
    case 'raised':
      return `Interrupt ${decimal(n, 0)}, for ${packets(count)}`;
    case 'polled':
      return `The protocols are done with ${packets(count)} of interrupt ${decimal(n, 0)}`;
    case 'delivered':
      return `The application has ${count === 1 ? '' : `${packets(count)}, up to `}packet ${decimal(n, 0)}`;
  }
}

/** "1 s here is 20 µs there: 50 000 times slower". */
export function slowness(usPerSecond: number): string {
  const there =
    usPerSecond >= 1000
      ? `${decimal(usPerSecond / 1000, usPerSecond < 1e4 ? 1 : 0)} ms`
      : `${decimal(usPerSecond, usPerSecond < 10 ? 1 : 0)} µs`;
  return `1 s here is ${there} there: ${decimal(1e6 / usPerSecond, 0)} times slower`;
}

/** How far a count is from what a model says. */
export function apartWords(counted: number, predicted: number | undefined, unit: string): string {
  if (predicted === undefined || Number.isNaN(counted)) return '–';
  if (unit === '%') {
    const points = counted - predicted;
    return Math.abs(points) < 0.05 ? 'equal' : `${points > 0 ? '+' : ''}${decimal(points, 1)} points`;
  }
  const off = apart(counted, predicted);
  if (!Number.isFinite(off)) return 'only here';
  if (Math.abs(off) < 0.005) return 'equal';
  return `${off > 0 ? '+' : ''}${decimal(off, Math.abs(off) < 1 ? 2 : 1)} %`;
}
