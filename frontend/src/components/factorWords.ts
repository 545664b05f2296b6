// SPDX-License-Identifier: Apache-2.0
import type { Factors, Quantity } from '../api/types';

/** `Delay` within a sentence is `delay`; `MTU` stays. */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label;
}

/** What the page calls a quantity: from the glossary, else its own name in words. */
export function labelOf(name: string, quantities: readonly Quantity[] | undefined): string {
  const known = quantities?.find((quantity) => quantity.name === name);
  return known?.label ?? name.replace(/^factor\./, '').replaceAll('_', ' ');
}

/** `MTU 3000 bytes, delay 160 µs, replicate 7`. */
export function inWords(
  factors: Factors,
  replicate: number | null,
  quantities: readonly Quantity[] | undefined,
): string {
  const settings = Object.entries(factors).map(([name, value]) => {
    const unit = quantities?.find((quantity) => quantity.name === name)?.unit ?? '';
    const bare = name === 'mtu_bytes' || unit === '1' || unit === '';
    return `${inSentence(labelOf(name, quantities))} ${value}${bare ? '' : ` ${unit}`}`;
  });
  const all = replicate === null ? settings : [...settings, `replicate ${replicate}`];
  const text = all.join(', ');
  return text && text[0].toUpperCase() + text.slice(1);
}
