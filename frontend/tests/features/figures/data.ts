// SPDX-License-Identifier: Apache-2.0
// The published data sets as figures read them, and a few emulated cells.
import type { Cell } from '../../../src/api/types';
import type { CellsBySlug } from '../../../src/features/figures/evaluate';
import { published } from '../../published';

export const PUBLISHED = ['geist-2005-nfs', 'geist-2005-points', 'chase-1999', 'dillon-2004', 'dillon-2004-streams'];

const known = (mean: number, half: number) => ({
  n: 10,
  mean,
  sd: half,
  ci95: [mean - half, mean + half] as [number, number],
});

const emulated = (id: number, delay_ticks: number, packets: number): Cell => ({
  id,
  factors: { workload: 'udp', mtu_bytes: 1500, delay_ticks },
  runs: 10,
  partial_runs: 0,
  measures: {
    packets_per_interrupt: known(packets, 0.5),
    traffic_cpu_jiffies_per_gb: known(300, 4),
  },
});

export const DATA: CellsBySlug = {
  ...Object.fromEntries(PUBLISHED.map((slug) => [slug, published(slug).cells])),
  'virtual-testbed': [emulated(1, 10, 1.77), emulated(2, 320, 27.1), emulated(3, 960, 80.1)],
};
