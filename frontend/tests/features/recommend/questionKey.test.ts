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
const stateOf = (query: string) => fromQuery(query, schemaOf(subject, slices)).state;
const state = stateOf('');

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
});

it('is another for another goal, level, measure, crosshair on an axis of traffic, slice and experiment', () => {
  const onTraffic = stateOf('x=workload&y=delay_us&measure=throughput_mbps');
  const { axes } = onTraffic;
  expect(axes).not.toEqual(state.axes);
  const key = keyOfQuestion();
  const keys = [
    key(subject, slices(onTraffic), onTraffic),
    key(subject, slices(onTraffic), { ...onTraffic, x: onTraffic.x === 0 ? 1 : 0 }),
    key(subject, slices(onTraffic), { ...onTraffic, measure: 'latency_us' }),
    key(subject, slices(onTraffic), { ...onTraffic, advice: { ...state.advice, goal: 'latency' } }),
    key(subject, slices(state), state),
    key(subject, slices(state), { ...state, where: { workload: 'udp' } }),
    key({ ...subject, without: ['run'] }, slices(state), state),
    key(subject, { ...slices(state), measures: [] }, state),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
