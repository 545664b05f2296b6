// SPDX-License-Identifier: Apache-2.0
// What adaptive moderation would cost on a traffic, in sentences. No DOM.
import { PRICE } from '../../api/policies';
import type { Factors, PolicyTrial } from '../../api/types';
import { brief } from '../../plots/number';
import { isDelay } from '../../state/layout';

/** A shipped profile that costs no more above the best fixed interval fits: as the API says of `profile_us`. */
const FITS_PERCENT = 5;

const us = (value: number): string => `${brief(value, 3)}\u00a0µs`;

/** Of less than a tenth of a percent no digit is known. */
function dearer(percent: number): string {
  if (Math.abs(percent) < 0.1) return 'as dear';
  return `${brief(Math.abs(percent), 2)}\u00a0% ${percent > 0 ? 'dearer' : 'cheaper'}`;
}

/** A setting's traffic: all of it but how long a packet waits. */
export function trafficOf(setting: Factors): Factors {
  const kept = Object.entries(setting).filter(([name]) => !isDelay(name) && name !== 'delay_control');
  return Object.fromEntries(kept);
}

/** How the shipped profiles do, what is proposed beside them, and what it costs to be wrong about the load. */
export function adaptiveWords({ fixed, best, proposal, recorded }: PolicyTrial): string[] {
  const rate = recorded ? ` (${brief(recorded.packet_rate_hz, 3)} packets/s)` : '';
  const least = Math.min(...(proposal?.shipped ?? []).map((each) => each.cost_percent));
  const fits = proposal?.profile_us === null && least <= FITS_PERCENT;
  const words = [
    `Played over this traffic${rate}, the better of Linux’s two DIM profiles is ${dearer(least)} than the best fixed interval, ${us(fixed[best].interval_us)}.`,
  ];
  if (!proposal?.profile_us || proposal.cost_percent === null)
    return [...words, fits ? 'It fits: no other is proposed.' : 'Of the profiles that were tried none is cheaper.'];
  words.push(
    `A profile of ${proposal.profile_us.map((v) => brief(v, 3)).join(', ')}\u00a0µs would be ${dearer(proposal.cost_percent)}.`,
  );
  for (const { load, cost_percent: own, shipped_cost_percent: shipped } of proposal.wrong)
    words.push(
      `If the load is ${load < 1 ? 'half' : 'twice'} as high, it is ${dearer(own)}, the better shipped one ${dearer(shipped)}.`,
    );
  return words;
}

/** What is counted, and that it was not measured. */
export const PRICE_WORDS = `A simulation, no measurement: ${us(PRICE.interrupt_cost_us)} of CPU time for an interrupt, ${us(PRICE.packet_cost_us)} for a packet; a wait of ${us(1 / PRICE.wait_weight)} counts like one µs of CPU time.`;
