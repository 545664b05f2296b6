// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { ExperimentSummary, Factor } from '../../../src/api/types';
import { caption, countByKind, design, inOrder, matches, tileOf } from '../../../src/features/experiments/listing';

const factor = (name: string, label: string, levels: (number | string)[]): Factor => ({
  name,
  label,
  unit: '',
  levels,
  level_count: levels.length,
  choice: true,
});

const nfs = {
  slug: 'geist-2005-nfs',
  title: 'Geist et al. 2005, NFS',
  subtitle: 'NFS v2 · Intel 82540EM · Linux 2.4.7',
  kind: 'published',
  citation: 'Clemson University',
  source_note: 'Table 2',
  factors: [
    factor('mtu_bytes', 'MTU', [1500, 3000, 4500]),
    factor('delay_ticks', 'Interrupt delay register', [10, 20]),
    factor('workload', 'Workload', ['nfs']),
  ],
} as ExperimentSummary;

const all = new Set<never>();

describe('matches', () => {
  it.each(['', 'geist', 'INTEL 82540', 'linux nfs', 'clemson', 'table 2'])('%s', (text) =>
    expect(matches(nfs, { text, hidden: all })).toBe(true),
  );
  it.each(['dillon', 'geist dillon'])('not %s', (text) => expect(matches(nfs, { text, hidden: all })).toBe(false));
  it('not when its kind is hidden', () =>
    expect(matches(nfs, { text: '', hidden: new Set(['published']) })).toBe(false));
});

it('inOrder puts own experiments first, the latest on top, then what can be cited, the published and the fullest on top', () => {
  const of = (slug: string, kind: string, cells: number, updated_at: string, citation: string | null = null) =>
    ({ ...nfs, slug, kind, cells, updated_at, citation }) as ExperimentSummary;
  const mixed = [
    of('dillon', 'published', 9, '2026-03', 'Dillon'),
    of('testbed', 'emulated', 111, '2026-04', 'Testbed'),
    of('nfs', 'published', 27, '2026-03', 'Geist'),
    of('old', 'measured', 4, '2026-01'),
    of('new', 'emulated', 2, '2026-02'),
  ];
  expect(inOrder(mixed).map(({ slug }) => slug)).toEqual(['new', 'old', 'nfs', 'dillon', 'testbed']);
});

it('countByKind counts every kind, those without any too', () => {
  expect(countByKind([nfs, nfs])).toEqual({ published: 2, measured: 0, emulated: 0, simulated: 0 });
});

describe('design', () => {
  it('names the factors that vary', () => expect(design(nfs.factors)).toBe('MTU 3 × delay 2'));
  it('names all when none varies', () => expect(design([factor('mtu_bytes', 'MTU', [1500])])).toBe('MTU 1'));
});

describe('caption', () => {
  it.each([
    ['System CPU time per 10⁹ bytes', 'system CPU/GB'],
    ['Packets per interrupt', 'packets/interrupt'],
    ['Receive interrupts per 10⁹ bytes', 'interrupts/GB'],
    ['Throughput', 'throughput'],
    ['Idle CPU', 'idle CPU'],
  ])('%s: %s', (label, short) => expect(caption(label)).toBe(short));
});

describe('tileOf', () => {
  const glance = (rows: (number | null)[][]) => tileOf({ measure: 'm', x: 'x', y: 'y', rows }).shades;
  it('puts the highest level on top and leaves unknown cells empty', () =>
    expect(
      glance([
        [0, 10],
        [null, 5],
      ]),
    ).toEqual([
      [null, 0.5],
      [0, 1],
    ]));
  it('spreads over more than a decade by the logarithm', () => {
    const [[low, middle, high]] = glance([[1, 10, 100]]);
    expect([low, high]).toEqual([0, 1]);
    expect(middle).toBeCloseTo(0.5, 12);
  });
  it('shows a lone value in the middle of the scale', () => expect(glance([[7]])).toEqual([[0.5]]));
  it('survives a tile of which nothing is known', () => expect(glance([[null]])).toEqual([[null]]));
});
