// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { gathered, line, path } from '../../src/plots/shapes';

it('gathers paths that look the same where the first of them stood, and leaves the rest as it is', () => {
  const [red, blue] = [{ stroke: 'red' }, { stroke: 'blue' }];
  const drawn = [path('M0 0h1', red), line(0, 0, 1, 1, red), path('M1 1h1', blue), path('M2 2h1', red)];
  expect(gathered(drawn)).toEqual([path('M0 0h1M2 2h1', red), drawn[1], drawn[2]]);
});
