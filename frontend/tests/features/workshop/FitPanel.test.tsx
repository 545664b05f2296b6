// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FitPanel } from '../../../src/features/workshop/FitPanel';
import type { OwnModel } from '../../../src/state/userModel';
import { press, render, serve } from '../render';

const own = {
  document: {
    inputs: [{ name: 'delay_us', unit: 'us', source: null, range: null }],
    parameters: [{ name: 'idle_us', unit: 'us', lo: 0, hi: 1000, default: 100 }],
    outputs: [],
  },
  model: { inputs: [], outputs: [{ name: 'throughput_mbps', unit: 'Mb/s' }] },
} as unknown as OwnModel;

const experiment = {
  slug: 'lab',
  title: 'The lab',
  kind: 'measured',
  factors: [{ name: 'delay_us', label: 'Delay', unit: 'us', levels: [0, 100] }],
  measures: [{ name: 'throughput_mbps', label: 'Throughput', title: 'Throughput', symbol: 'T', unit: 'Mb/s' }],
};

const answer = (assumed: Record<string, number>) => ({
  identifiable: true,
  n: 2,
  left_out: 0,
  message: null,
  sources: { delay_us: ['delay_us'] },
  estimates: { idle_us: { value: 220, ci95: [210, 230], unit: 'us' } },
  assumed,
  residuals: [],
});

async function fitted(assumed: Record<string, number>): Promise<string> {
  serve({
    '/api/experiments': { body: [experiment] },
    '/api/experiments/lab': { body: experiment },
    '/api/experiments/lab/nonlinear-fits': { body: answer(assumed) },
  });
  const asked = { experiment: 'lab', response: 'throughput_mbps', free: ['idle_us'], held: {}, where: {} };
  const page = await render(
    <FitPanel own={own} output="throughput_mbps" asked={asked} values={() => ({})} onFit={() => undefined} />,
  );
  await press(page.querySelector('button.action'));
  return page.textContent ?? '';
}

afterEach(() => vi.unstubAllGlobals());

describe('a fit in the workshop', () => {
  it('says what was held and not measured', async () => {
    const shown = await fitted({ clients: 5, reply_bytes: 8296 });
    expect(shown).toContain('210 to 230');
    expect(shown).toContain(
      'Held, not measured: clients 5, reply_bytes 8296. What is fitted holds if these are right.',
    );
  });

  it('says nothing of it where all was found or measured', async () => {
    const shown = await fitted({});
    expect(shown).toContain('210 to 230');
    expect(shown).not.toContain('not measured');
  });
});
