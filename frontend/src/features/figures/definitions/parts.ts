// SPDX-License-Identifier: Apache-2.0
// What several figures share: origins of parameters, the lines of the MTUs, addresses.
import type { Cells, Given, Line } from '../definition';

export const printed = (value: number, why?: string): Given => ({ value, origin: 'printed', ...(why ? { why } : {}) });
export const assumed = (value: number, why?: string): Given => ({ value, origin: 'assumed', ...(why ? { why } : {}) });
export const tuned = (value: number, why?: string): Given => ({ value, origin: 'tuned', ...(why ? { why } : {}) });
export const fitted = (value: number, why?: string): Given => ({ value, origin: 'fitted', ...(why ? { why } : {}) });

const TONES = [1, 2, 3, 4, 5] as const;

export const mtuLines = (...mtus: readonly number[]): Line[] =>
  mtus.map((mtu, i) => ({ id: String(mtu), label: `${i === 0 ? 'MTU ' : ''}${mtu}`, tone: TONES[i] }));

/** Each line's own MTU as the model's input. */
export const perMtu = (...mtus: readonly number[]): Record<string, { mtu_bytes: number }> =>
  Object.fromEntries(mtus.map((mtu) => [String(mtu), { mtu_bytes: mtu }]));

export const published = (experiment: string, where: Cells['where'] = {}): Cells => ({
  experiment,
  kind: 'published',
  where,
});
export const emulated = (workload: string): Cells => ({
  experiment: 'virtual-testbed',
  kind: 'emulated',
  where: { workload },
});

const query = (values: Readonly<Record<string, string | number>>): string => {
  const text = new URLSearchParams(Object.entries(values).map(([k, v]) => [k, String(v)])).toString();
  return text ? `?${text}` : '';
};

export const dataLink = (label: string, slug: string, values: Readonly<Record<string, string | number>> = {}) => ({
  label,
  href: `/explorer/${slug}${query(values)}`,
});
export const modelLink = (label: string, id: string, values: Readonly<Record<string, string | number>> = {}) => ({
  label,
  href: `/models/${id}${query(values)}`,
});
