// SPDX-License-Identifier: Apache-2.0
// What measures are called, how large they are, and what a setting changes of them. No DOM.
import type { Recommendation } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { brief, decimal, withHalf } from '../../plots/number';
import type { BundledQuantity } from '../../state/models';
import { unitAfter } from '../explorer/figure/messages';
import type { Part } from './Sentence';

type Interval = readonly [number, number] | null | undefined;

/** The digits that the interval of a mean leaves, four without one, with the unit. */
export function valueWords(quantity: Pick<BundledQuantity, 'label' | 'unit'>, value: number, ci95?: Interval): string {
  const half = ci95 ? (ci95[1] - ci95[0]) / 2 : 0;
  const digits = half > 0 ? withHalf(value, half, 4).mean : brief(value, 4);
  return `${digits}${unitAfter(quantity).replace(' ', '\u00a0')}`;
}

/** "latency", "99th percentile of latency", "system CPU time per 10⁹ bytes". */
export const named = (quantity: Pick<BundledQuantity, 'label'>): string => inSentence(quantity.label);

/** A measure in one line with others: "throughput", "system CPU", "p99 latency". */
export const shortMeasure = (quantity: Pick<BundledQuantity, 'label'>): string =>
  named(quantity)
    .replace(/^latency, ([\d.]+)th percentile$/, 'p$1 latency')
    .replace(/^latency, median$/, 'median latency')
    .replace(/ time per 10⁹ bytes$/, '')
    .replace(/ per 10⁹ bytes$/, '');

export type Effect = Recommendation['effects'][number];

/** As many decimals as the interval tells, one where nothing is known of chance. */
function decimalsOf({ change_percent: change, ci95_percent: ci }: Effect): number {
  if (change === null) return 0;
  if (!ci) return Math.abs(change) < 10 ? 1 : 0;
  const width = ci[1] - ci[0];
  return width < 0.15 ? 2 : width < 1.5 ? 1 : 0;
}

/** "−26", "+1.2" */
const signed = (value: number, decimals: number): string => {
  const text = decimal(Math.abs(value), decimals);
  return Number(text) === 0 ? '0' : `${value < 0 ? '−' : '+'}${text}`;
};

export const bothValues = ({ reference, answer }: Effect): string =>
  `${brief(reference, 3)}\u00a0→\u00a0${brief(answer, 3)}`;

/** "−26 %"; of what was nothing both values, "0 → 40 000". */
export const changeWords = (effect: Effect): string =>
  effect.change_percent === null ? bothValues(effect) : `${signed(effect.change_percent, decimalsOf(effect))}\u00a0%`;

/** "−26 %"; of a share both values, "2 → 60 %": a percentage of percent is mistaken for points. */
export function briefChange(effect: Effect, unit: string | undefined): string {
  if (unit !== '%') return changeWords(effect);
  return `${bothValues(effect)}\u00a0%`;
}

/** "CPU −26 %" */
export function namedChange(
  effect: Effect,
  measures: readonly Pick<BundledQuantity, 'name' | 'label' | 'unit'>[],
): string {
  const quantity = measures.find((m) => m.name === effect.measure);
  const name = quantity ? shortMeasure(quantity).replace(/^(system|traffic|receiver) (?=CPU)/, '') : effect.measure;
  return `${name} ${briefChange(effect, quantity?.unit)}`;
}

/** "−28 to −24"; null where nothing is known of chance. */
export function intervalWords(effect: Effect): string | null {
  return effect.ci95_percent?.map((end) => signed(end, decimalsOf(effect))).join(' to ') ?? null;
}

/** From here on a change is said as a ratio. */
export const TWICE_PERCENT = 100;

export const isAlike = ({ ci95_percent: ci }: Effect): boolean => ci !== null && ci[0] <= 0 && ci[1] >= 0;

/** "26 % less (24 to 28)", "2.5 times as much (2.3 to 2.7)", "not shown to differ (−1 to +2 %)". */
export function comparison(effect: Effect): Part[] {
  const { change_percent: change, ci95_percent: ci } = effect;
  if (change === null) return [{ text: bothValues(effect), strong: true }];
  if (isAlike(effect)) return [{ text: `not shown to differ (${intervalWords(effect)}\u00a0%)` }];
  const decimals = decimalsOf(effect);
  const isRatio = change >= TWICE_PERCENT;
  const size = (percent: number): string =>
    isRatio ? brief(1 + percent / 100, 2) : decimal(Math.abs(percent), decimals);
  const words = isRatio ? `${size(change)} times as much` : `${size(change)}\u00a0% ${change < 0 ? 'less' : 'more'}`;
  if (!ci) return [{ text: words, strong: true }];
  const ends = [...ci].sort((a, b) => Math.abs(a) - Math.abs(b));
  return [{ text: words, strong: true }, { text: ` (${ends.map(size).join(' to ')})` }];
}
