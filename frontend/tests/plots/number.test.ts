// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import {
  alike,
  brief,
  decimal,
  digitsFor,
  digitsOfHalf,
  digitsOfStep,
  inFull,
  setting,
  tenTo,
  withHalf,
  worded,
} from '../../src/plots/number';

it('writes a true minus, and thin spaces from five digits on', () => {
  expect(decimal(-0.5, 1)).toBe('−0.5');
  expect(decimal(-0.01, 1)).toBe('0.0');
  expect(decimal(4800, 0)).toBe('4800');
  expect(decimal(1234567.891, 1)).toBe('1\u2009234\u2009567.9');
  expect(decimal(Number.NaN, 2)).toBe('–');
});

it('writes powers of ten where digits would fill a line, but in what is typed and in settings', () => {
  const space = '\u00a0';
  const plain = (words: string) => words.replaceAll(space, ' ');
  expect([9_999_999_999, -1e10, 6_168_959_803_247, 2e12, 1.5e21].map((v) => plain(decimal(v, 0)))).toEqual([
    '9\u2009999\u2009999\u2009999',
    '−1 × 10¹⁰',
    '6.169 × 10¹²',
    '2 × 10¹²',
    '1.5 × 10²¹',
  ]);
  expect(decimal(2e12, 0)).toBe(`2${space}×${space}10¹²`);
  expect(plain(brief(4_115_275_126_435))).toBe('4.115 × 10¹²');
  expect(inFull(2e12, 0)).toBe('2\u2009000\u2009000\u2009000\u2009000');
  expect(setting(1_234_567_890_123)).toBe('1234567890123');
  expect(tenTo(-13)).toBe('10⁻¹³');
});

it('is brief where exactness says nothing', () => {
  expect(brief(640)).toBe('640');
  expect(brief(33.3333)).toBe('33.33');
  expect(brief(0.0100001)).toBe('0.01');
  expect(brief(100000)).toBe('100\u2009000');
  expect(brief(1500.4)).toBe('1500');
  expect(brief(0)).toBe('0');
});

it('says the whole part of a setting in full', () => {
  expect([16384, 8192, 65535, 148810, 1e6].map(setting)).toEqual(['16384', '8192', '65535', '148810', '1000000']);
  expect([33.3333, 1311.4, 0.125, 0, -2.5].map(setting)).toEqual(['33.33', '1311', '0.125', '0', '−2.5']);
  expect(setting(Number.NaN)).toBe('–');
});

it('never rounds an interval to nothing', () => {
  expect([19.6, 0.4, 0.02, 0].map((half) => withHalf(1, half, 0).half)).toEqual(['± 20', '± 0.4', '± 0.02', '± 0']);
});

it('ends a mean where its own interval does, whatever the column spans', { tags: 'fault:P9' }, () => {
  expect([19.3, 2.1, 0.00004, 0.0015].map(digitsOfHalf)).toEqual([0, 0, 5, 4]);
  expect(withHalf(1.49997, 0.00004, 0)).toEqual({ mean: '1.49997', half: '± 0.00004' });
  expect(withHalf(1.8347, 0.0002, 0)).toEqual({ mean: '1.8347', half: '± 0.0002' });
  expect(withHalf(1052.3, 19.3, 1)).toEqual({ mean: '1052', half: '± 19' });
  // without an interval: what the column has, and three digits that count where that is less
  expect(withHalf(2.657, null, 0)).toEqual({ mean: '2.66', half: null });
  expect(withHalf(1118.4, null, 0)).toEqual({ mean: '1118', half: null });
});

it('shows what changes', () => {
  expect([620, 26, 2.7, 0.31].map(digitsFor)).toEqual([0, 1, 2, 3]);
  expect([100, 0.25, 0.005].map(digitsOfStep)).toEqual([0, 2, 3]);
});

it('says what a code stands for, and a number where it stands for nothing', () => {
  const meanings = ['link', 'bus'];
  expect(worded(1, 2, meanings)).toBe('bus');
  expect(worded(1.5, 2, meanings)).toBe('1.50');
  expect(worded(7, 0, [])).toBe('7');
});

it('writes the numbers of a column with as many decimals each', () => {
  const column = (values: number[], significant?: number) => values.map(alike(values, significant));
  expect(column([1003, 1003.8, 996.47], 5)).toEqual(['1003.0', '1003.8', '996.5']);
  expect(column([1500, 3000, 9000])).toEqual(['1500', '3000', '9000']);
  expect(column([0, 0.5, -0.25])).toEqual(['0.00', '0.50', '−0.25']);
  // of sizes too far apart, each as short as it can be
  expect(column([0.0012, 900])).toEqual(['0.0012', '900']);
  expect(alike([])(2.5)).toBe('2.5');
});
