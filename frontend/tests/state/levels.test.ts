// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { isOneLevel, levelsIn, levelsText, withToggled } from '../../src/state/levels';

const MTUS = [1500, 3000, 9000];
const TRAFFIC = ['a,b', 'tcp', 'udp'];

it('reads one level, or several in their own order', () => {
  expect(levelsIn('3000', MTUS)).toEqual([3000]);
  expect(levelsIn('9000,1500', MTUS)).toEqual([1500, 9000]);
  expect(levelsIn('a,b', TRAFFIC)).toEqual(['a,b']);
  expect(levelsIn('udp,tcp,udp', TRAFFIC)).toEqual(['tcp', 'udp']);
});

it('reads nothing where one of them is no level', () => {
  for (const text of ['', '1500,', '1500,1501', 'tcp']) expect(levelsIn(text, MTUS)).toBeNull();
  expect(levelsIn('a,tcp', TRAFFIC)).toBeNull();
});

it('says nothing of all of them', () => {
  expect(levelsText([1500, 9000], MTUS)).toBe('1500,9000');
  expect(levelsText(MTUS, MTUS)).toBe('');
});

it('adds a level and takes it out again', () => {
  const one = withToggled('', 9000, MTUS);
  expect(one).toBe('9000');
  const two = withToggled(one, 1500, MTUS);
  expect(two).toBe('1500,9000');
  expect(withToggled(two, 3000, MTUS)).toBe('');
  expect(withToggled(two, 9000, MTUS)).toBe('1500');
  expect(withToggled('1500', 1500, MTUS)).toBe('');
});

it('chooses a level with a comma alone', () => {
  expect(withToggled('udp', 'a,b', TRAFFIC)).toBe('a,b');
  expect(withToggled('a,b', 'udp', TRAFFIC)).toBe('udp');
});

it('knows whether a factor still varies', () => {
  expect([undefined, '1500', '1500,3000'].map((text) => isOneLevel(text, MTUS))).toEqual([false, true, false]);
});
