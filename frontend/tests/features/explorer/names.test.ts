// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { NAME_HEIGHT, namedOf, nameRoom } from '../../../src/features/explorer/figure/lines';
import { dodge } from '../../../src/plots/dodge';

const frameOf = (height: number) => ({ lines: { top: 200, height } });

it('names of lines that are alike do not lie on each other, however many there are', () => {
  for (let height = 48; height <= 300; height += 4)
    for (const count of [2, 5, 6, 8, 10, 17, 24])
      for (const own of [0, 1, count - 2]) {
        const lines = Array.from({ length: count }, (_, i) => i);
        const named = namedOf(lines, frameOf(height), (line) => line === own);
        for (const line of [0, own, count - 1]) expect(named).toContain(line);
        const ys = dodge(
          named.map((i) => 230 + i / 10),
          NAME_HEIGHT,
          ...nameRoom(frameOf(height)),
        ).sort((a, b) => a - b);
        const nearest = Math.min(...ys.slice(1).map((y, i) => y - ys[i]));
        expect([height, count, nearest > NAME_HEIGHT - 0.05]).toEqual([height, count, true]);
      }
});

it('as many are named as there is room for', () => {
  const ten = Array.from({ length: 10 }, (_, i) => i);
  expect(namedOf(ten, frameOf(140), () => false)).toEqual(ten);
  expect(namedOf(ten, frameOf(90), (line) => line === 5)).toEqual([0, 2, 4, 5, 6, 9]);
});
