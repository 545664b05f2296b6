// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { widened } from '../../src/state/bounds';

it('widens the value scale in round steps, and not for a little', () => {
  expect(widened([960, 1580], 950, 1600)).toEqual([960, 1580]);
  expect(widened([960, 1580], 960, 2100)).toEqual([960, 2200]);
});
