// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { ReplicatedCell, Replicates, ReplicationPlan, Variance } from '../../../src/api/types';
import { deviation, spreadShapes } from '../../../src/features/replicates/figure';
import { independenceWords, outliersWords, planWords, varianceWords } from '../../../src/features/replicates/messages';
import { shapeText } from '../../../src/plots/file';

const TOKENS = new Proxy({}, { get: () => '#123456' }) as Record<string, string>;

function cell(values: number[], outlying = -1): ReplicatedCell {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return {
    cell: 1,
    factors: {},
    summary: { n: values.length, mean, sd: 1, ci95: values.length > 1 ? [mean - 1, mean + 1] : null },
    replicates: values.map((value, k) => ({ run: `r${k}`, replicate: k, value, n: 1, outlying: k === outlying })),
  };
}

it('shows each run, outliers with the word', () => {
  const shapes = spreadShapes([cell([99, 100, 101]), cell([50, 51, 80], 2)], 'measured', 5, 600);
  const text = shapes.map((shape) => shapeText(shape, TOKENS)).join('\n');
  expect(text.match(/outlier/g)).toHaveLength(1);
  expect(shapes.filter(({ attributes }) => String(attributes.stroke).includes('kind-measured'))).toHaveLength(5);
  expect(text).not.toMatch(/NaN|Infinity/);
  expect(text).toMatchSnapshot();
  expect(spreadShapes([cell([0, 0])], 'measured', 5, 600)).toEqual([]);
  expect(deviation(-11, -10)).toBeCloseTo(-10);
});

it('writes no word over a mark or another word', () => {
  const crowd = Array.from({ length: 40 }, (_, k) => cell([50, 51, 80 + (k % 3)], 2));
  const placed = spreadShapes(crowd, 'measured', 5, 320).filter(({ text }) => text === 'outlier');
  expect(placed.length).toBeLessThan(40);
  const farApart = placed.map(({ attributes }) => attributes.x as number).sort((a, b) => a - b);
  for (const [k, x] of farApart.slice(1).entries()) expect(x - farApart[k]).toBeGreaterThan(40);
});

it('says what stands out', () => {
  expect(outliersWords([cell([1, 2, 9], 2), cell([4])])).toBe(
    '2 cells. 1 run is an outlier in its cell (amber, hollow) and still counts. 1 cell has one run, whose spread is not known.',
  );
});

it('says of published means that their spread is not known, and draws none', { tags: 'fault:P15' }, () => {
  const [one] = cell([1558]).replicates;
  const published = { ...cell([1558]), summary: { n: 10, mean: 1558, sd: null, ci95: null } };
  const mean: ReplicatedCell = { ...published, replicates: [{ ...one, n: 10 }] };
  expect(outliersWords([mean, mean])).toBe(
    '2 cells. Each is the mean of several runs without its deviation: how far they spread is not known.',
  );
  expect(outliersWords([mean, cell([1, 2])])).toBe(
    '2 cells. 1 is the mean of several runs without its deviation: how far they spread is not known. No run stands out from its cell.',
  );
  expect(spreadShapes([mean], 'published', 5, 600)).toEqual([]);
});

it('says what moves a measure, and what is chance', () => {
  const effect = (name: string, share: number, p: number | null) => ({
    name,
    sum_of_squares: share,
    degrees_of_freedom: 2,
    share_percent: share,
    f: p === null ? null : 4,
    p_value: p,
  });
  const variance = {
    effects: [effect('x', 60, 0.0001), effect('y', 5, 0.4), effect('x × y', 20, 0.01), effect('replicates', 15, null)],
    message: null,
  } as Variance;
  expect(varianceWords(variance, (name) => name.toUpperCase())).toBe(
    'Of all variation, X 60 %, X with Y together, beyond each alone, 20 %. Chance between replicates accounts for 15 %. Y: no more than chance.',
  );
  const single = { ...effect('replicates', 0, null), degrees_of_freedom: 0 };
  expect(varianceWords({ ...variance, effects: [effect('x', 100, null), single] }, (name) => name)).toBe(
    'Of all variation, x 100 %.',
  );
});

it('plans in words', () => {
  const planned = (more: number, needed: number) => ({
    cell: 1,
    factors: {},
    n: 3,
    width_percent: 9,
    needed,
    more,
    borrowed: false,
  });
  const plan = (cells: ReplicationPlan['cells']): ReplicationPlan => ({
    experiment: 'lab',
    data_version: 1,
    measure: 'm',
    where: {},
    without: [],
    width_percent: 5,
    runs_to_add: cells.reduce((sum, { more }) => sum + more, 0),
    cells,
  });
  expect(planWords(plan([planned(0, 3)]))).toContain('Nothing has to be measured again');
  expect(planWords(plan([planned(4, 7), planned(0, 3)]))).toBe('For ±5 % on every mean, 4 more runs in 1 of 2 cells.');
  expect(planWords(plan([planned(4, 7), planned(9997, 10_000)]))).toBe(
    'For ±5 % on every mean, 4 more runs in 1 of 2 cells. In 1 cell replicates alone may not suffice.',
  );
});

it('says whether replicates may count as independent', () => {
  const found = { verdict: 'refused', reason: 'The replicates were recorded in a row.' } as Replicates['independence'];
  expect(independenceWords(found)).toBe('The replicates were recorded in a row.');
  expect(independenceWords(null)).toBe('');
  const words = (verdict: string) => independenceWords({ verdict, reason: null } as Replicates['independence']);
  expect(words('none_found')).toContain('speaks against');
});
