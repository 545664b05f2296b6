// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { FIRST, readShown, type Shown, toQuery } from '../../../src/features/workshop/address';
import { generator, pick } from '../../random';
import links from './frozen.json';

const frozen = links as unknown as { query: string; means: Shown }[];

const NAMES = ['x', 'fit', 'model', '__proto__x', 'delay_us', 'a'];

function anyNumbers(random: () => number): Record<string, number> {
  const names = NAMES.filter(() => random() < 0.4);
  return Object.fromEntries(names.map((name) => [name, pick(random, [0, -1.5, 1e-7, 1e30, 1500])]));
}

describe('the address of the workshop', () => {
  it.each(frozen)('means what it meant: $query', ({ query, means }) => {
    expect(readShown(query)).toEqual({ shown: means, rejected: [] });
    expect(toQuery(means, new URLSearchParams(query).get('model'))).toBe(query);
  });

  it('gives everything back', () => {
    const random = generator(3);
    for (let k = 0; k < 300; k++) {
      const shown: Shown = {
        output: pick(random, [null, 'latency_us']),
        at: anyNumbers(random),
        set: anyNumbers(random),
        pull: pick(random, [null, 'fit']),
        fit: pick(random, [
          null,
          {
            experiment: 'geist-2005-nfs',
            response: 'system_cpu_jiffies',
            free: ['alpha', 'x'],
            held: anyNumbers(random),
            where: { workload: 'a,b:c & ü', 'factor.cable': '' },
            ...(random() < 0.5 ? { robust: true as const } : {}),
          },
        ]),
      };
      expect(readShown(toQuery(shown, pick(random, [null, 'link-bound'])))).toEqual({ shown, rejected: [] });
    }
  });

  it.each([
    'set=alpha',
    'set=alpha:1,alpha:2',
    'set=alpha:NaN',
    'set=a:1:2',
    'at=<script>:1',
    `set=${Array.from({ length: 65 }, (_, i) => `p${i}:1`).join()}`,
    'pull=a-b',
    'output=%F0%9F',
    'free=a,,b',
    'experiment=../x',
    'experiment=lab',
    'held=a:Infinity',
    'where=workload:%25E0%25A4',
    'alpha=1',
    'v=2',
  ])('is not spoiled by what it cannot use: %s', (query) => {
    const { shown, rejected } = readShown(query);
    expect(shown).toEqual(FIRST);
    expect(rejected).toHaveLength(1);
    const other = query.startsWith('set') ? 'at' : 'set';
    expect(readShown(`${query}&${other}=b:2`).shown[other]).toEqual({ b: 2 });
  });
});
