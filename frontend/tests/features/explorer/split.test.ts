// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { splitShapes, stretches } from '../../../src/features/explorer/figure/split';

describe('the cost split', () => {
  it('puts one cost after the other', () => {
    expect(stretches({ total: 10, parts: [5, 2, 3] })).toEqual([
      { from: 0, size: 5, taken: false },
      { from: 5, size: 2, taken: false },
      { from: 7, size: 3, taken: false },
    ]);
  });

  it('takes a cost below nought off the end of the others, so that the total is where the bar ends', () => {
    const split = { total: 6, parts: [-4, 7, 3] };
    expect(stretches(split)).toEqual([
      { from: 6, size: 4, taken: true },
      { from: 0, size: 7, taken: false },
      { from: 7, size: 3, taken: false },
    ]);
    const drawn = splitShapes(split, split, '', 0, 200).filter(({ tag }) => tag === 'rect');
    for (const { attributes } of drawn) {
      expect(Number(attributes.x)).toBeGreaterThanOrEqual(0);
      expect(Number(attributes.x) + Number(attributes.width)).toBeLessThanOrEqual(200);
    }
  });

  it('stays within its frame when nothing else is left', () => {
    expect(stretches({ total: -1, parts: [-1, 0, 0] })[0].from).toBe(0);
  });
});
