// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { DEFINITIONS } from '../../../src/engine/definitions';
import { placeOf } from '../../../src/features/glossary/Card';
import { answers, ROLES, rangeWords, sourceWords, unitWords } from '../../../src/features/glossary/messages';

describe('a definition in words', () => {
  it('says ranges with their unit, and open ends', () => {
    expect(rangeWords([68, 65536], 'bytes')).toBe('68 to 65\u2009536 bytes');
    expect(rangeWords([0, null], 'Hz')).toBe('at least 0 Hz');
    expect(rangeWords([null, 1], '')).toBe('at most 1');
    expect(rangeWords([0, 100], '%')).toBe('0 to 100 %');
    expect(rangeWords([null, null], 's')).toBe('');
  });

  it('has symbol, unit and source of every quantity, in one of the sections', () => {
    expect(DEFINITIONS.length).toBeGreaterThan(100);
    for (const q of DEFINITIONS) {
      expect(q.symbolMath, q.name).toContain('<math');
      expect(unitWords(q)).not.toBe('');
      expect(sourceWords(q)).not.toBe('');
      expect(ROLES.map(([role]) => role)).toContain(q.role);
    }
  });

  it('is found by all of the words', () => {
    const found = (typed: string) => DEFINITIONS.filter((q) => answers(q, typed)).map((q) => q.name);
    expect(found('')).toHaveLength(DEFINITIONS.length);
    expect(found('MTU transmission')).toEqual(['mtu_bytes']);
    expect(found('no such words')).toEqual([]);
  });
});

describe('the card', () => {
  const card = { width: 300, height: 200 };
  const view = { width: 800, height: 600 };
  const at = (left: number, top: number) => ({ left, top, bottom: top + 20 });

  it('opens below, above where there is no room, and within the window', () => {
    expect(placeOf(at(100, 100), card, view)).toEqual({ left: 100, top: 126 });
    expect(placeOf(at(100, 500), card, view)).toEqual({ left: 100, top: 294 });
    expect(placeOf(at(700, 100), card, view).left).toBe(492);
    expect(placeOf(at(100, 100), card, { width: 290, height: 150 })).toEqual({ left: 8, top: 8 });
  });
});
