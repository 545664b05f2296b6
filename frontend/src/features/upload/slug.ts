// SPDX-License-Identifier: Apache-2.0
const LONGEST = 80;

/** A title as it stands in an address: `Lab 7, UDP` → `lab-7-udp`. */
export function slugOf(title: string): string {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
}
