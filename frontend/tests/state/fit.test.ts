// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { numberIn, parameterTerms, slidersOf } from '../../src/state/fit';

const slidersFor = (id: string) => {
  const model = catalogue.models.find((m) => m.id === id);
  return slidersOf(model ? parameterTerms(model) : [], null, {});
};

describe('a typed value', () => {
  const rtt =
    slidersFor('tcp-coalescing-throughput').find((s) => s.name === 'rtt_min_us') ?? slidersFor('link-bound')[0];

  it.each([
    ['0.9', 0.9],
    [' 1e-1 ', 0.1],
    ['0,75', 0.75],
    ['12\u2009345', 12345],
  ])('%s is taken', (text, value) => {
    expect(numberIn(rtt, text)).toBe(value);
  });

  it.each([
    ['', 'is not a number'],
    ['much', 'is not a number'],
    ['1,2,3', 'is not a number'],
    ['\u22121', 'is less than 0'],
    ['-1', 'is less than 0'],
    ['Infinity', 'is not a number'],
  ])('%s is refused, and why', (text, reason) => {
    expect(numberIn(rtt, text)).toBe(reason);
  });

  it('may be the word that a code stands for', () => {
    const kind = slidersFor('receive-windowed').find((s) => s.name === 'moderation_kind');
    expect(kind && numberIn(kind, 'throttle')).toBe(4);
    expect(kind && numberIn(kind, '9')).toMatch(/is not between/);
  });
});
