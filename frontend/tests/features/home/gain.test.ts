// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { gainWords } from '../../../src/features/home/gain';
import { STUDY } from '../../../src/features/home/study';
import { published } from '../../published';

describe('what a setting saves', () => {
  it.each([
    [75, 100, '25 % less CPU'],
    [130, 100, '30 % more CPU'],
    [100.4, 100, 'As much CPU'],
    [Number.NaN, 100, 'No value here'],
  ])('%d beside %d: %s', (now, reference, words) => expect(gainWords(now, reference)).toBe(words));
});

it('the promise of the home page is what the study measured where its crosshair stands at first', () => {
  const { cells } = published(STUDY.slug);
  const cost = (mtu: number, delay: number): number => {
    const cell = cells.find(({ factors }) => factors.mtu_bytes === mtu && factors.delay_ticks === delay);
    return cell?.measures.system_cpu_jiffies_per_gb.mean ?? Number.NaN;
  };
  const at = new URLSearchParams(STUDY.query);
  const saved = 1 - cost(Number(at.get('mtu_bytes')), Number(at.get('delay_ticks'))) / cost(1500, 10);
  expect(STUDY.promise).toContain('a quarter less CPU');
  expect(saved).toBeGreaterThan(0.24);
  expect(saved).toBeLessThan(0.3);
  const dearer = cost(4500, 10) / cost(4500, 40) - 1;
  expect(STUDY.caution).toContain(
    `At MTU 4500 the study measured ${Math.round(100 * dearer)} % more CPU at delay 10 than at 40,`,
  );
  // and without what the caution warns of
  expect(Number(at.get('delay_ticks'))).toBeLessThanOrEqual(40);
});
