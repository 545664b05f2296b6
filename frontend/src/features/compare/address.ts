// SPDX-License-Identifier: Apache-2.0
// What is compared, to address and back: `?a=one&b=other&b.workload=udp,tcp&measure=throughput_mbps`, or `?runs=id,id`. No DOM.
import type { Side } from '../../api/comparisons';

export const LETTERS = ['a', 'b', 'c', 'd'] as const;
export const MOST = LETTERS.length;

export interface Compared {
  readonly sides: readonly Side[];
  readonly runs: readonly string[];
  readonly measure: string | null;
}

/** Reads what it can; a parameter that it cannot use changes nothing else. */
export function readAddress(query: URLSearchParams): Compared {
  const sides = LETTERS.flatMap((letter): Side[] => {
    const slug = query.get(letter);
    if (!slug) return [];
    const own = `${letter}.`;
    const where = [...query].filter(([name, level]) => name.startsWith(own) && name !== own && level !== '');
    const levels = new Map<string, string[]>();
    for (const [name, level] of where) levels.set(name, [...(levels.get(name) ?? []), level]);
    return [
      { slug, where: Object.fromEntries([...levels].map(([name, all]) => [name.slice(own.length), all.join()])) },
    ];
  });
  const runs = [...new Set((query.get('runs') ?? '').split(',').filter(Boolean))].slice(0, MOST);
  return { sides, runs, measure: query.get('measure') };
}

export function toAddress({ sides, runs, measure }: Compared): URLSearchParams {
  const query = new URLSearchParams();
  if (runs.length > 0) query.set('runs', runs.join(','));
  sides.slice(0, MOST).forEach(({ slug, where }, k) => {
    query.set(LETTERS[k], slug);
    for (const [name, level] of Object.entries(where)) query.set(`${LETTERS[k]}.${name}`, level);
  });
  if (measure) query.set('measure', measure);
  return query;
}

export const letterOf = (place: number): string => LETTERS[place].toUpperCase();
