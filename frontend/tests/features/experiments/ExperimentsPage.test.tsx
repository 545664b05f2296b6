// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ExperimentSummary } from '../../../src/api/types';
import { ExperimentsPage } from '../../../src/features/experiments/ExperimentsPage';
import { press, render, serve } from '../render';

const nfs: ExperimentSummary = {
  slug: 'geist-2005-nfs',
  title: 'Geist et al. 2005, NFS',
  subtitle: 'NFS v2',
  kind: 'published',
  citation: null,
  source_note: 'Table 2',
  factors: [{ name: 'mtu_bytes', label: 'MTU', unit: 'bytes', levels: [1500, 3000], level_count: 2, choice: true }],
  cells: 1,
  designed_cells: 2,
  runs: 1,
  replicates_label: 'mean of 10',
  data_version: 1,
  updated_at: '2026-01-31T12:00:00.000Z',
  factor_count: 1,
  measures: ['throughput_mbps'],
  measure_count: 1,
  glance: [{ measure: 'throughput_mbps', x: 'delay_us', y: null, rows: [[1, null]] }],
};
const dillon: ExperimentSummary = { ...nfs, slug: 'dillon-2004', title: 'Dillon 2004', kind: 'measured', glance: [] };

const rest = { '/api/quantities': { body: [] }, '/api/models': { body: [{ id: 'link-bound', title: 'Link bound' }] } };
/** What is said to have failed; the surface of the study is not served here. */
const alerts = (page: HTMLElement) =>
  [...page.querySelectorAll('[role=alert]')]
    .map((alert) => alert.textContent)
    .filter((said) => !/the study/.test(said));
const names = (page: HTMLElement) => [...page.querySelectorAll('tbody .nm a')].map((link) => link.textContent);

afterEach(() => {
  vi.unstubAllGlobals();
  history.replaceState(null, '', '/');
});

describe('home', () => {
  it('lists experiments with their cells, your host last, and the models', async () => {
    serve({ ...rest, '/api/experiments': { body: [nfs, dillon] } });
    const page = await render(<ExperimentsPage />);
    expect(names(page)).toEqual(['Dillon 2004', 'Geist et al. 2005, NFS', 'Your host']);
    expect(page.querySelector('tbody td.n')?.textContent).toBe('1 of 2');
    expect(page.querySelector('a[href="/models/link-bound"]')).not.toBeNull();
    expect(page.querySelectorAll('tbody tr')[1].querySelectorAll('.glance rect')).toHaveLength(1);
    expect(page.querySelectorAll('tbody tr')[1].querySelectorAll('.glance circle')).toHaveLength(1);
  });

  it('shows what is emulated as emulated', async () => {
    serve({ ...rest, '/api/experiments': { body: [nfs, { ...nfs, slug: 'virtual-testbed', kind: 'emulated' }] } });
    const page = await render(<ExperimentsPage />);
    const kinds = [...page.querySelectorAll('tbody .kind')].map((kind) => [kind.className, kind.textContent]);
    expect(kinds).toEqual([
      ['kind emulated', 'emulated'],
      ['kind published', 'published'],
      ['kind measured', 'measured'],
    ]);
  });

  it('says which data sets are still loading, asks again, and then lists them', async () => {
    const loading = { slug: 'virtual-testbed', state: 'loading', message: null };
    const failed = { slug: 'another', state: 'failed', message: 'The archive cannot be read.' };
    serve({ ...rest, '/api/experiments': { body: [nfs] }, '/api/health': { body: { datasets: [loading, failed] } } });
    const page = await render(<ExperimentsPage />);
    expect(page.textContent).toContain('The data set virtual-testbed is being loaded');
    expect(alerts(page)).toEqual([expect.stringContaining('another could not be loaded')]);
    expect(names(page)).toHaveLength(2);
    const later = [nfs, { ...nfs, slug: 'virtual-testbed', title: 'Virtual testbed', kind: 'emulated' as const }];
    serve({ ...rest, '/api/experiments': { body: later }, '/api/health': { body: { datasets: [failed] } } });
    await vi.waitFor(() => expect(names(page)).toContain('Virtual testbed'), { timeout: 4000 });
    expect(page.textContent).not.toContain('is being loaded');
  });

  it('hides a kind, and says so in the address', async () => {
    serve({ ...rest, '/api/experiments': { body: [nfs, dillon] } });
    const page = await render(<ExperimentsPage />);
    await press(page.querySelector('.kinds .published'));
    expect(names(page)).toEqual(['Dillon 2004', 'Your host']);
    expect(location.search).toBe('?without=published');
  });

  it('takes the filter from the address, and can be told to show all', async () => {
    history.replaceState(null, '', '/?q=nowhere&without=nonsense');
    serve({ ...rest, '/api/experiments': { body: [nfs] } });
    const page = await render(<ExperimentsPage />);
    expect(names(page)).toEqual(['Your host']);
    expect(page.querySelector('.none')?.textContent).toContain('No experiment matches nowhere.');
    await press(page.querySelector('.none button'));
    expect(names(page)).toEqual(['Geist et al. 2005, NFS', 'Your host']);
    expect(location.search).toBe('');
  });

  it('shows an empty store as the row that can be filled', async () => {
    serve({ ...rest, '/api/experiments': { body: [] } });
    const page = await render(<ExperimentsPage />);
    expect(names(page)).toEqual(['Your host']);
    expect(page.textContent).toContain('Nothing measured here yet');
    // as it can be pasted where the program is, like the commands of /start
    expect([...page.querySelectorAll('code')].map((code) => code.textContent)).toEqual([
      expect.stringMatching(/^sudo \.venv\/bin\/coalescope-host demo --server http/),
    ]);
  });

  it('says what failed and lets the reader try again', async () => {
    const error = { code: 'internal', message: 'Something failed.', where: {}, advice: null, problems: [] };
    serve({ ...rest, '/api/experiments': { status: 500, body: { error } } });
    const page = await render(<ExperimentsPage />);
    expect(alerts(page)).toEqual([expect.stringContaining('Something failed.')]);
    serve({ ...rest, '/api/experiments': { body: [nfs] } });
    await press(page.querySelector('[role=alert] button'));
    expect(names(page)).toEqual(['Geist et al. 2005, NFS', 'Your host']);
    expect(alerts(page)).toEqual([]);
  });
});
