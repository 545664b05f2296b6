// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import { besideOf } from '../../../src/features/tour/steps';
import { firstVisit, markSeen } from '../../../src/features/tour/visit';

describe('a first visit', () => {
  beforeEach(() => localStorage.clear());

  it('is to an experiment, by itself, without somebody’s view, once', () => {
    expect(firstVisit('/explorer/geist-2005-nfs', '', false)).toBe(true);
    expect(firstVisit('/', '', false)).toBe(false);
    expect(firstVisit('/models/link-bound', '', false)).toBe(false);
    expect(firstVisit('/explorer/geist-2005-nfs', 'beta=0.4', false)).toBe(false);
    expect(firstVisit('/explorer/geist-2005-nfs', '', true)).toBe(false);
    markSeen();
    expect(firstVisit('/explorer/geist-2005-nfs', '', false)).toBe(false);
  });
});

describe('the words of a step', () => {
  const note = { width: 300, height: 120 };
  const view = { width: 1000, height: 800 };
  const part = (left: number, top: number, width: number, height: number) => ({ left, top, width, height });

  it('stand beside their part, on another side where there is no room, and never beyond the window', () => {
    expect(besideOf(part(500, 300, 100, 100), note, view, 'left')).toEqual({ left: 188, top: 290 });
    expect(besideOf(part(100, 300, 100, 100), note, view, 'left')).toEqual({ left: 212, top: 290 });
    expect(besideOf(part(10, 700, 980, 90), note, view, 'above')).toEqual({ left: 12, top: 568 });
    // no side has room: where they cover the least, not across its middle
    const phone = { width: 390, height: 700 };
    expect(besideOf(part(40, 60, 310, 600), note, phone, 'left')).toEqual({ left: 40, top: 12 });
  });

  it('leave clear what they speak of besides', () => {
    const ring = part(400, 500, 24, 24);
    const lines = part(240, 100, 500, 600);
    expect(besideOf(ring, note, { width: 1100, height: 800 }, 'left', [lines]).left).toBe(752);
    expect(besideOf(ring, note, { width: 1100, height: 800 }, 'left').left).toBe(88);
    // beside all of it: what lies to the right is spoken of, too
    const params = part(740, 300, 360, 300);
    const { left, top } = besideOf(ring, note, { width: 1100, height: 800 }, 'left', [lines, params]);
    expect([left, top]).toEqual([740, 612]);
    // beyond what lies between, it stays near its part
    const answer = part(0, 50, 1100, 150);
    expect(besideOf(part(900, 5, 150, 40), note, { width: 1100, height: 800 }, 'below', [answer])).toEqual({
      left: 788,
      top: 212,
    });
  });
});
