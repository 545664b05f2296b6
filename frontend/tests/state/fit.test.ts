// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { numberIn, parameterTerms, settingAt, slidersOf, startWords, t95, trackOf, verdict } from '../../src/state/fit';
import { paperFit } from '../published';

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

it('says a fit in the digits of its interval: costs in seconds are thousandths', () => {
  const alpha = slidersFor('cpu-overhead')[0];
  const said = (start: number, interval: [number, number], digits: number) =>
    startWords({ ...alpha, start, interval, digits });
  expect(said(0.812997, [0.7957, 0.8303], 3)).toBe('fit 0.813, 95 % 0.796 to 0.830');
  expect(said(0.002059, [0.001964, 0.002154], 5)).toBe('fit 0.00206, 95 % 0.00196 to 0.00215');
  expect(startWords({ ...alpha, start: 1.11, interval: [0.9, 1.3], condition: ' if independent', digits: 2 })).toBe(
    'fit 1.11, 95 % if independent 0.90 to 1.30',
  );
  expect(startWords({ ...alpha, interval: null })).toMatch(/^starts at /);
});

it('takes Student’s t from the tables', () => {
  const table: [number, number][] = [
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [4, 2.776],
    [9, 2.262],
    [24, 2.064],
    [120, 1.98],
  ];
  for (const [df, t] of table) expect(Math.abs(t95(df) - t)).toBeLessThan(df === 3 ? 0.02 : 0.006);
});

it('moves a slider in round values, and lets it rest on its start', () => {
  const slider = slidersFor('tcp-coalescing-throughput').find((s) => s.name === 'rtt_min_us');
  if (!slider) throw new Error('no slider');
  expect(slider.spacing).toBe('log');
  expect(settingAt(slider, trackOf(slider, slider.start) + 1e-6)).toBe(slider.start);
  expect(settingAt(slider, trackOf(slider, 1234.5))).toBe(1230);
});

it('says what replicates find, with numbers', () => {
  const fit = paperFit();
  expect(verdict(fit)).toBe('');
  const found = {
    f: 1139.9,
    model_degrees_of_freedom: 24,
    noise_degrees_of_freedom: 243,
    p_value: 6e-235,
    rejected: true,
    misfit_percent: 5.6,
    noise_percent: 0.52,
    bounded: false,
  };
  const rejected = { ...fit, diagnostics: { ...fit.diagnostics, lack_of_fit: found } };
  expect(verdict(rejected)).toMatch(
    /^the replicates reject the model: F\(24, 243\) = 1.?140, p < 0.001; cells deviate by 5.6 %, runs by 0.52 %$/u,
  );
  const bounded = { ...found, f: 2.5, p_value: 0.004, bounded: true };
  expect(verdict({ ...fit, diagnostics: { ...fit.diagnostics, lack_of_fit: bounded } })).toMatch(
    /F\(24, 243\) ≥ 2.5, p ≤ 0.004; cells deviate by 5.6 %, runs by at most 0.52 %$/u,
  );
});
