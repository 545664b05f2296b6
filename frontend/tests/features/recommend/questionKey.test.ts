// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { keyOfQuestion } from '../../../src/features/recommend/questionKey';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import { schemaOf } from '../../../src/state/viewSchema';
import { lab } from './answers';

const subject = lab();
const slices = slicesOf(subject, catalogue);
const { state } = fromQuery('', schemaOf(subject, slices));

it('is worked out again where the question may be another, and not while a slider is dragged', () => {
  const key = keyOfQuestion();
  let looks = 0;
  const slice = new Proxy(slices(state), {
    get(target, name, receiver) {
      looks++;
      return Reflect.get(target, name, receiver);
    },
  });
  const first = key(subject, slice, state);
  expect(looks).toBeGreaterThan(0);
  looks = 0;
  for (const alpha of [1, 2, 3]) expect(key(subject, slice, { ...state, overrides: { alpha } })).toBe(first);
  expect(looks).toBe(0);
  const other = key(subject, slice, { ...state, advice: { ...state.advice, goal: 'latency' } });
  expect(other).not.toBe(first);
  expect(looks).toBeGreaterThan(0);
  expect(key(subject, slice, { ...state, where: { workload: 'udp' } })).not.toBe(other);
});
