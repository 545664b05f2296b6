// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Cell, ComparedCell, Comparison, Environment } from '../../../src/api/types';
import { readAddress, toAddress } from '../../../src/features/compare/address';
import { compareShapes } from '../../../src/features/compare/figure';
import {
  change,
  csvOf,
  decimalsOf,
  factRows,
  nothingShared,
  outcome,
  span,
  spanDecimals,
  summary,
} from '../../../src/features/compare/messages';
import { type Panel, planOf, settingWords } from '../../../src/features/compare/panels';
import { shapeText } from '../../../src/plots/file';

const TOKENS = new Proxy({}, { get: () => '#123456' }) as Record<string, string>;

describe('the address', () => {
  it('holds sides with their own levels, and gives them back', () => {
    const query = 'a=one&a.workload=udp&b=one&b.workload=t%3A%2Ccp&measure=drops';
    const read = readAddress(new URLSearchParams(query));
    expect(read.sides[1]).toEqual({ slug: 'one', where: { workload: 't:,cp' } });
    expect(readAddress(toAddress(read))).toEqual(read);
  });

  it('holds a side to several levels of a factor, joined or repeated', () => {
    const joined = readAddress(new URLSearchParams('a=one&a.workload=tcp,udp'));
    expect(joined.sides[0].where).toEqual({ workload: 'tcp,udp' });
    expect(readAddress(new URLSearchParams('a=one&a.workload=tcp&a.workload=udp'))).toEqual(joined);
    expect(readAddress(toAddress(joined))).toEqual(joined);
  });

  it('takes runs once each, and no more than four', () => {
    expect(readAddress(new URLSearchParams('runs=x,y,x,,z,u,v')).runs).toEqual(['x', 'y', 'z', 'u']);
  });

  it('is not spoiled by what it does not know', () => {
    expect(readAddress(new URLSearchParams('q=1&b=two&a.=x&c.d=4'))).toEqual({
      sides: [{ slug: 'two', where: {} }],
      runs: [],
      measure: null,
    });
  });
});

const SUMMARY = { n: 5, mean: 100, sd: 1, ci95: [99, 101] as [number, number] };

function cell(factors: Record<string, number | string>, mean = 100): Cell {
  return { id: 1, factors, runs: 5, partial_runs: 0, measures: { throughput_mbps: { ...SUMMARY, mean } } };
}

function compared(ratio: number, resolved: boolean, interval: [number, number] | null): ComparedCell {
  return {
    factors: { mtu_bytes: 1500, delay_us: 10 },
    a: SUMMARY,
    b: SUMMARY,
    ratio,
    ci95: interval,
    simultaneous_ci95: interval,
    p_value: 0.01,
    resolved,
    verdict: resolved ? (ratio > 1 ? 'better' : 'worse') : 'unresolved',
  };
}

function comparison(cells: ComparedCell[], overall: [number, number] | null): Comparison {
  const side = { experiment: 'one', title: 'One', kind: 'measured' as const, data_version: 1, where: {} };
  return {
    a: side,
    b: { ...side, experiment: 'two' },
    measure: { name: 'throughput_mbps', label: 'Throughput', unit: 'Mb/s' } as Comparison['measure'],
    better: 'more',
    differing: [],
    cells,
    overall_ratio: 1.05,
    overall_ci95: overall,
    p_value: 0.001,
    overall_verdict: 'better',
    only_a: [],
    only_b: [{ mtu_bytes: 9000 }],
    regression: null,
    message: null,
  };
}

describe('panels', () => {
  const known = (where: string, levels: number[]) => ({
    kind: 'measured' as const,
    cells: levels.flatMap((delay) =>
      [1500, 9000].map((mtu) => cell({ mtu_bytes: mtu, delay_us: delay, driver_version: where })),
    ),
  });

  it('set what the sides differ in apart, and lay the rest beside each other', () => {
    const plan = planOf([known('1.0', [10, 20, 40]), known('1.1', [10, 20])], [undefined], 'throughput_mbps');
    expect(plan.x).toBe('delay_us');
    expect(plan.differing).toEqual(['driver_version']);
    expect(plan.panels.map(({ factors }) => factors)).toEqual([{ mtu_bytes: 1500 }, { mtu_bytes: 9000 }]);
    expect(plan.panels[0].lines.map((points) => points.length)).toEqual([3, 2]);
  });

  it('are drawn with ratios, hollow where nothing can be told', () => {
    const answer = comparison([compared(1.05, true, [1.01, 1.09]), compared(1.01, false, [0.9, 1.2])], [1.01, 1.09]);
    const plan = planOf([known('1.0', [10, 20]), known('1.1', [10, 20])], [answer], 'throughput_mbps');
    const looks = ['A', 'B'].map((letter) => ({ letter, kind: 'measured' as const }));
    const of = { measure: 'throughput_mbps', x: 'delay_us' };
    const axes = { of, measure: 'Throughput, Mb/s', x: 'Delay, µs', preferLog: true };
    const { shapes } = compareShapes(plan.panels, ['MTU 1500', 'MTU 9000'], looks, axes, 700);
    const text = shapes.map((shape) => shapeText(shape, TOKENS)).join('\n');
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
    expect(
      shapes.filter(({ attributes }) => attributes.stroke === 'var(--line-3)' && attributes.fill === 'var(--ground)'),
    ).toHaveLength(1);
    expect(text).toMatchSnapshot();
    const ratios = shapes.flatMap(({ title }) => (title?.includes('ratio') ? [title] : []));
    expect(ratios).toHaveLength(plan.panels.flatMap((panel) => panel.ratios.flat()).length);
    for (const words of ratios) expect(words).toMatch(/^\d+: ratio [\d.]+(, 95 % [\d.]+ to [\d.]+)?, n = \d+ and \d+$/);
  });

  it('have no strip for ratios where no setting is shared', () => {
    const looks = ['A', 'B'].map((letter) => ({ letter, kind: 'measured' as const }));
    const of = { measure: 'throughput_mbps', x: 'delay_us' };
    const axes = { of, measure: 'Throughput', x: 'Delay', preferLog: true };
    const sides = [known('1.0', [10, 20]), known('1.1', [10, 20])];
    const drawn = (answer: Comparison | undefined) => {
      const plan = planOf(sides, [answer], 'throughput_mbps');
      return compareShapes(plan.panels, ['', ''], looks, axes, 700);
    };
    const [refused, shared] = [drawn(undefined), drawn(comparison([compared(1.05, true, [1.01, 1.09])], null))];
    expect(refused.shapes.some(({ text }) => text === 'ratio to A')).toBe(false);
    expect(shared.shapes.filter(({ text }) => text === 'ratio to A')).toHaveLength(2);
    expect(refused.height).toBeLessThan(shared.height);
  });

  it('have an axis that spans the intervals, and goes down to nought only where that costs little', () => {
    const looks = [{ letter: 'A', kind: 'measured' as const }];
    const axes = { of: { measure: 'drops', x: 'delay_us' }, measure: 'Drops', x: 'Delay, µs', preferLog: true };
    const axisOf = (...summaries: [number, [number, number] | null][]) => {
      const points = summaries.map(([mean, ci95], x) => ({ x: x + 1, summary: { n: 5, mean, sd: 1, ci95 } }));
      const panel = { factors: {}, lines: [points], ratios: [] } as unknown as Panel;
      return compareShapes([panel], [''], looks, axes, 400).shapes[0].text;
    };
    expect(axisOf([992, [990, 994]], [998, [997, 999]])).toBe('Drops, axis from 990');
    expect(axisOf([3, [2, 4]], [100, [90, 110]])).toBe('Drops');
    expect(axisOf([7, null], [7, null])).toBe('Drops, axis from 6.5');
    // a t interval of a count may reach below nought; the axis does not
    expect(axisOf([10, [-30, 50]])).toBe('Drops');
    expect(axisOf([-5, [-6, -4]])).toBe('Drops, axis from −6');
    expect(axisOf([0, null])).toBe('Drops');
  });

  it('name a setting as people do', () => {
    expect(settingWords({ mtu_bytes: 1500, workload: 'request_response' }, undefined)).toBe(
      'mtu bytes 1500, workload request response',
    );
  });
});

describe('words', () => {
  it('say a change', () => {
    expect([1, 1.031, 0.5, 12.3].map((ratio) => change(ratio))).toEqual([
      'the same',
      '3.1 % more',
      '50 % less',
      '12.3 times as much',
    ]);
    // beside an interval, with its decimals
    expect(change(0.999, 3)).toBe('0.100 % less');
    expect(span([0.95, 1.02])).toBe('−5 to +2 %');
    expect(span(null)).toBe('not known');
  });

  it('give the means of a column that have no interval as many decimals each', () => {
    const measured = (mean: number, half: number | null) => ({
      n: 5,
      mean,
      sd: 1,
      ci95: half === null ? null : ([mean - half, mean + half] as [number, number]),
    });
    // a mean with an interval has the digits of its own interval
    expect(decimalsOf([measured(1.56, null), measured(947, 2)])).toBe(3);
    expect(decimalsOf([measured(0.5, null)])).toBe(4);
    expect(decimalsOf([measured(0, null)])).toBe(3);
    // what JavaScript writes has 100 decimals at most, or breaks the page
    expect(decimalsOf([measured(1e-120, null)])).toBe(12);
    const cells = [compared(1, false, [0.956, 0.9623]), compared(1, false, [0.99992, 1.00014])];
    expect(spanDecimals(cells.map((cell) => cell.simultaneous_ci95))).toBe(3);
    expect(span([0.956, 0.9623], 3)).toBe('−4.400 to −3.770 %');
  });

  it('never call chance a difference', () => {
    expect(outcome(compared(1.2, true, [1.1, 1.3]))).toBe('20 % more, better');
    expect(outcome(compared(1.2, false, [0.9, 1.5]))).toBe('not significantly different');
    expect(outcome(compared(1.2, false, null))).toBe('no interval');
  });

  it('sum up', () => {
    const cells = [compared(1.2, true, [1.1, 1.3]), compared(1.01, false, [0.9, 1.2]), compared(2, false, null)];
    expect(summary(comparison(cells, [1.01, 1.09]), 'A', 'B')).toBe(
      'B against A, throughput, over 3 settings that both have. Overall 5.0 % more (95 % interval +1.0 to +9.0 %). ' +
        'Of the settings: 1 better; 1 not significantly different; 1 without an interval, corrected for their number. ' +
        'Left out: 1 only in B.',
    );
    expect(summary(comparison(cells, [0.9, 1.2]), 'A', 'B')).toContain('are not significantly different (95 %');
    // both ends with as many decimals
    expect(summary(comparison(cells, [0.99870004, 0.999288]), 'A', 'B')).toContain('interval −0.130 to −0.071 %)');
    expect(summary(comparison(cells, null), 'A', 'B')).toContain('There is no interval');
    // where nothing is tested, nothing is corrected
    expect(summary(comparison([cells[2]], null), 'A', 'B')).toContain('Of the settings: 1 without an interval. Left');
  });

  it('put facts that differ first, and of them the kernel', () => {
    const environment = (kernel: string, host: string): Environment => ({
      runs: 2,
      recorded: 2,
      facts: [
        { name: 'host', values: [{ value: host, runs: 2 }], more: 0 },
        { name: 'duplex', values: [{ value: 'full', runs: 2 }], more: 0 },
        { name: 'kernel_version', values: [{ value: kernel, runs: 2 }], more: 0 },
      ],
    });
    const rows = factRows([environment('6.1', 'x'), environment('6.12', 'y')]);
    expect(rows.map(({ name, same }) => [name, same])).toEqual([
      ['kernel_version', false],
      ['host', false],
      ['duplex', true],
    ]);
  });

  it('leave as a table that starts no formula', () => {
    const bad = { ...compared(1, false, [0.9, 1.1]), factors: { workload: '=1+1,"x"' } };
    expect(csvOf([{ comparison: comparison([bad], null), name: 'B' }])).toContain('"\'=1+1,""x"""');
  });

  it('leave with the guard of all tables, and numbers as they are', () => {
    const factors = { workload: '\uff1d1+1', driver_version: 'a\rb', 'factor.offset': -5 };
    const cell = { ...compared(1, false, [0.9, 1.1]), simultaneous_ci95: null, factors };
    const table = csvOf([{ comparison: comparison([cell], null), name: 'B' }]);
    expect(table.split('\n')[1]).toContain(',\'\uff1d1+1,"a\rb",-5,');
    expect(table.split('\n')[1]).toMatch(/,1,,,[^,]*,no$/);
  });
});

it('says which side has no cell, and else that measures differ', () => {
  expect(nothingShared([27, 0])).toBe('No cell of B has these levels');
  expect(nothingShared([27, 3])).toBe('They have no measure in common');
});
