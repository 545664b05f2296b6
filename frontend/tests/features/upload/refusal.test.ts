// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/api/errors';
import type { Where } from '../../../src/api/types';
import { damageAt, detailsText, factsOf, offset, rowsOf } from '../../../src/features/upload/refusal';

const damaged: Where = { offset: 75776, block: 37, stored: '9f3c21aa', computed: '5b0e77c4' };
const error = (where: Where, problems: { message: string; where: Where }[] = []) =>
  new ApiError(422, {
    code: 'block_crc',
    message: 'Block 37 is damaged.',
    where,
    advice: 'Send it again.',
    problems: problems.map((problem) => ({ code: 'x', advice: null, ...problem })),
  });

describe('factsOf', () => {
  it('gives the offset decimal and hexadecimal, and both checksums', () => {
    expect(factsOf({ where: damaged })).toEqual([
      { term: 'byte', value: '75\u2009776 (0x12800)' },
      { term: 'block', value: '37' },
      { term: 'stored', value: '9f3c21aa' },
      { term: 'computed', value: '5b0e77c4' },
      { term: 'kept', value: 'nothing' },
    ]);
  });

  it('writes a checksum that came as a number with all its eight digits', () => {
    expect(factsOf({ where: { stored: 255 } })).toContainEqual({ term: 'stored', value: '000000ff' });
  });

  it('gives row and column of a table, and leaves out what is not known', () => {
    expect(factsOf({ where: { row: 7, column: 'delay_ms', offset: null } })).toEqual([
      { term: 'row', value: '7' },
      { term: 'column', value: 'delay_ms' },
      { term: 'kept', value: 'nothing' },
    ]);
  });
});

describe('damageAt', () => {
  it('places the damage in the file', () => {
    expect(damageAt({ where: damaged }, 125_000)).toBeCloseTo(0.606, 3);
  });

  it('says nothing where there is no place, or none within the file', () => {
    expect(damageAt({ where: {} }, 100)).toBeNull();
    expect(damageAt({ where: damaged }, 100)).toBeNull();
    expect(damageAt({ where: { offset: 0, block: 0 } }, 0)).toBeNull();
  });

  it('takes the offset at which a picture stops being text for no damage', () => {
    expect(damageAt({ where: { offset: 26 } }, 3000)).toBeNull();
  });
});

describe('offset', () => {
  it('starts at zero', () => expect(offset(0)).toBe('0 (0x0)'));
});

describe('rowsOf', () => {
  const two = [
    { message: "'fast' is not a number.", where: { row: 7, column: 'throughput_mbps' } },
    { message: 'Row 9 repeats row 3.', where: { row: 9, column: null } },
  ];

  it('lists every fault of a table that has several', () => {
    expect(rowsOf(error({}, two)).map(({ row, column }) => [row, column])).toEqual([
      ['7', 'throughput_mbps'],
      ['9', ''],
    ]);
  });

  it('lists none where the headline says it all', () => {
    expect(rowsOf(error(damaged))).toEqual([]);
  });

  it('are in the details that can be copied', () => {
    const text = detailsText('a.csv', 27, error({ row: 7 }, two));
    expect(text).toContain('a.csv (27 bytes)');
    expect(text).toContain("row 7, column throughput_mbps: 'fast' is not a number.");
    expect(text).toContain('row 9, column –: Row 9 repeats row 3.');
    expect(text).toContain('Send it again.');
  });
});
