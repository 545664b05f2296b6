// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import type { ComparedCell, Comparison } from '../../../src/api/types';
import { CellsTable } from '../../../src/features/compare/CellsTable';
import { render, serve } from '../render';

afterEach(() => vi.unstubAllGlobals());

const measured = (mean: number, half: number | null) => ({
  n: 10,
  mean,
  sd: half,
  ci95: half === null ? null : ([mean - half, mean + half] as [number, number]),
});

const cell = (delay: number, a: ComparedCell['a'], b: ComparedCell['b']): ComparedCell => ({
  factors: { delay_us: delay },
  a,
  b,
  ratio: b.mean / a.mean,
  ci95: null,
  simultaneous_ci95: null,
  p_value: null,
  resolved: false,
  verdict: 'unresolved',
});

it('gives each mean the digits of its own interval, however narrow another one is', async () => {
  serve({ '/api/quantities': { body: [] } });
  const cells = [
    cell(20, measured(1.46, null), measured(1.5, 0.00004)),
    cell(640, measured(10.62, null), measured(54.0847, 0.2103)),
  ];
  const measure = { name: 'packets_per_interrupt', label: 'Packets per interrupt', unit: '' };
  const page = await render(<CellsTable comparison={{ cells, measure } as unknown as Comparison} a="A" b="B" />);
  const rows = [...page.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].slice(0, 6).map((each) => each.textContent),
  );
  expect(rows).toEqual([
    ['1.46', '–', '10', '1.50000', '± 0.00004', '10'],
    ['10.62', '–', '10', '54.1', '± 0.2', '10'],
  ]);
});

async function drawn(cells: readonly ComparedCell[]): Promise<HTMLElement> {
  serve({ '/api/quantities': { body: [] } });
  const measure = { name: 'packets_per_interrupt', label: 'Packets per interrupt', unit: '' };
  return render(<CellsTable comparison={{ cells, measure } as unknown as Comparison} a="A" b="B" />);
}

it('knows no interval of runs that are all equal', async () => {
  const page = await drawn([cell(20, measured(1.46, 0), measured(1.46, 0))]);
  const halves = [...page.querySelectorAll('td.half')].map(({ textContent }) => textContent);
  expect(halves).toEqual(['–', '–']);
});

it('says that it scrolls where not all its rows are in sight', async () => {
  const rows = (n: number) => Array.from({ length: n }, (_, k) => cell(k, measured(1, 0.1), measured(1, 0.1)));
  expect((await drawn(rows(21))).textContent).toContain('21 settings: the table scrolls.');
  expect((await drawn(rows(12))).textContent).not.toContain('scrolls');
});
