// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { csvComment, csvField } from '../../src/state/csv';

describe('fields', () => {
  it.each(['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\tx', '\uff1d1', '-', '=HYPERLINK("http://evil.example")'])(
    'no formula: %s',
    (text) => {
      expect(csvField(text).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it.each([
    ['-5', '-5'],
    ['-1.5e3', '-1.5e3'],
    ['a=b', 'a=b'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    [-5, '-5'],
    [Number.NaN, ''],
    [null, ''],
  ])('%s is %s', (value, field) => {
    expect(csvField(value)).toBe(field);
  });
});

it('no part of a comment begins like a formula', () => {
  expect(csvComment('a title,=1+1; @x\n=2')).toBe("# a title,'=1+1; '@x =2");
  expect(csvComment('MTU, delay: 5')).toBe('# MTU, delay: 5');
});
