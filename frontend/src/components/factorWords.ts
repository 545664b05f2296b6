// SPDX-License-Identifier: Apache-2.0
import type { Factors, FactorValue, Quantity } from '../api/types';

/** `Delay` within a sentence is `delay`; `MTU` stays. */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label;
}

// In a sentence and in a narrow column the delay is the delay.
const SHORT: Readonly<Record<string, string>> = {
  delay_us: 'delay',
  delay_ticks: 'delay',
  moderation_rate_hz: 'moderation rate',
};

/** A factor in a sentence or a narrow column: `delay`, `MTU`. */
export function shortLabel(name: string, label: string): string {
  return SHORT[name] ?? inSentence(label);
}

/** What the page calls a quantity: from the glossary, else its own name in words. */
export function labelOf(name: string, quantities: readonly Quantity[] | undefined): string {
  const known = quantities?.find((quantity) => quantity.name === name);
  return known?.label ?? name.replace(/^factor\./, '').replaceAll('_', ' ');
}

const A_NAME = /^[a-z0-9]+(_[a-z0-9]+)+$/;

/** A level as people write it: `UDP`, `request response`, 3000. Workloads are acronyms more often than not. */
export function levelInWords(value: FactorValue): string {
  if (typeof value === 'number') return String(value);
  const given = String(value);
  const spaced = A_NAME.test(given) ? given.replaceAll('_', ' ') : given; // what is somebody's text stays as it is
  return /^(udp|tcp|nfs|nic|gro|lro|tso)\b/i.test(spaced) ? spaced.replace(/^\w+/, (w) => w.toUpperCase()) : spaced;
}

const NO_BREAK = '\u00a0';

/** `MTU 3000, delay 160 µs, replicate 7`. */
export function inWords(
  factors: Factors,
  replicate: number | null,
  quantities: readonly Quantity[] | undefined,
): string {
  const settings = Object.entries(factors).map(([name, value]) => {
    const unit = quantities?.find((quantity) => quantity.name === name)?.unit ?? '';
    const bare = name === 'mtu_bytes' || unit === '1' || unit === '';
    return `${shortLabel(name, labelOf(name, quantities))} ${levelInWords(value)}${bare ? '' : `${NO_BREAK}${unit}`}`;
  });
  const all = replicate === null ? settings : [...settings, `replicate ${replicate}`];
  const text = all.join(', ');
  return text && text[0].toUpperCase() + text.slice(1);
}
