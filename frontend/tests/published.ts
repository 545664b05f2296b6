// SPDX-License-Identifier: Apache-2.0
// The published data sets as the server would answer them, straight from their tables.
import { readFileSync } from 'node:fs';
import type { Cell, Experiment, Factor, FactorValue, Fit, MeasureOf } from '../src/api/types';
import { DEFINITIONS } from '../src/engine/definitions';
import { isDelay } from '../src/state/layout';
import type { ExperimentSubject } from '../src/state/subject';

const quantity = (name: string) => DEFINITIONS.find((q) => q.name === name);

function rowsOf(slug: string): Record<string, string>[] {
  const text = readFileSync(new URL(`../../datasets/${slug}/data.csv`, import.meta.url), 'utf8').trim();
  const [head, ...lines] = text.split('\n').map((l) => l.split(','));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

function cellOf(row: Record<string, string>, id: number): Cell {
  const factors: Record<string, FactorValue> = {};
  const measures: Cell['measures'] = {};
  for (const [name, text] of Object.entries(row)) {
    if (name.startsWith('factor.')) factors[name] = Number.isNaN(Number(text)) ? text : Number(text);
    const q = quantity(name);
    if (!q || text === '') continue;
    if (q.role === 'factor') factors[name] = q.text ? text : Number(text);
    else measures[name] = { n: Number(row.n ?? 1), mean: Number(text), sd: null, ci95: null };
  }
  return { id, factors, runs: 1, partial_runs: 0, measures };
}

function factorsOf(cells: readonly Cell[]): Factor[] {
  const names = [...new Set(cells.flatMap((c) => Object.keys(c.factors)))];
  return names.map((name) => {
    const levels = [...new Set(cells.map((c) => c.factors[name]).filter((v) => v !== undefined))];
    levels.sort((a, b) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)),
    );
    return {
      name,
      label: quantity(name)?.label ?? name,
      unit: quantity(name)?.unit ?? '',
      levels,
      level_count: levels.length,
      choice: name !== 'workload',
    };
  });
}

/** A view to open with, for data that none is given for: the server chooses by a rule of its own, which these need not follow. */
function opening(factors: readonly Factor[]): Experiment['default_view'] {
  const able = factors.filter(({ levels }) => levels.every((level) => typeof level === 'number'));
  const mtu = able.find(({ name }) => name === 'mtu_bytes');
  const varied = able.filter((factor) => factor !== mtu && factor.levels.length > 1);
  const [x, y = null] = [
    ...new Set([able.find(({ name }) => isDelay(name)), ...varied.slice(0, 1), mtu, ...varied]),
  ].flatMap((factor) => factor?.name ?? []);
  return x === undefined ? null : { measure: '', x, y, where: {} };
}

export function experimentOf(
  slug: string,
  cells: readonly Cell[],
  view: Experiment['default_view'] = opening(factorsOf(cells)),
): Experiment {
  const isThroughput = (name: string): number => Number(name === 'throughput_mbps');
  // the server lists throughput first
  const names = [...new Set(cells.flatMap((c) => Object.keys(c.measures)))].sort(
    (a, b) => isThroughput(b) - isThroughput(a),
  );
  const measures = names.flatMap((name): MeasureOf[] => {
    const q = quantity(name);
    return q ? [{ ...q, cells: cells.filter((c) => name in c.measures).length, raw: false }] : [];
  });
  return {
    slug,
    title: slug,
    subtitle: '',
    kind: 'published',
    citation: null,
    source_note: null,
    factors: factorsOf(cells),
    cells: cells.length,
    designed_cells: cells.length,
    runs: cells.length,
    replicates_label: 'mean of 10',
    data_version: 1,
    updated_at: '2005-01-01T00:00:00Z',
    source: { citation: null, url: null, licence: null, how_made: null, notes: [] },
    fixed: [],
    measures,
    notes: [],
    default_view: view,
    // as its source.toml names its paper's method
    of_a_data_set: true,
    default_fit: slug === 'geist-2005-nfs' ? { model: 'cpu-overhead', method: 'paper-tls', where: {} } : null,
  };
}

export function published(slug: string, view?: Experiment['default_view']): ExperimentSubject {
  const cells = rowsOf(slug).map(cellOf);
  return { of: 'experiment', experiment: experimentOf(slug, cells, view), cells };
}

export const nfs = () =>
  published('geist-2005-nfs', {
    measure: 'system_cpu_jiffies_per_gb',
    x: 'delay_ticks',
    y: 'mtu_bytes',
    where: { workload: 'nfs' },
  });
export const points = () =>
  published('geist-2005-points', {
    measure: 'packets_per_interrupt',
    x: 'delay_ticks',
    y: 'mtu_bytes',
    where: { workload: 'udp' },
  });
export const dillon = () =>
  published('dillon-2004', { measure: 'idle_cpu_percent', x: 'delay_us', y: null, where: { workload: 'iperf' } });

/** The paper's fit as the server answers it, with intervals of about the right width. */
export function paperFit(): Fit {
  const estimate = (value: number, half: number, unit: string) => ({
    value,
    unit,
    ci95: [value - half, value + half] as [number, number],
    standard_error: half / 2,
    ci95_if_model_holds: null,
    ci95_if_independent: null,
  });
  return {
    experiment: 'geist-2005-nfs',
    data_version: 1,
    where: {},
    without: [],
    model: 'cpu-overhead',
    method: 'paper-tls',
    response: 'system_cpu_jiffies',
    response_unit: 'jiffies',
    n: 27,
    left_out: 0,
    estimates: {
      alpha: estimate(0.812997, 0.0095, 'jiffies/MB'),
      beta: estimate(0.266365, 0.0207, 'jiffies/kpacket'),
      gamma: estimate(1.109872, 0.0454, 'jiffies/kinterrupt'),
    },
    without_probes: null,
    covariance: [
      [2.355e-5, -3.561e-5, -3.451e-5],
      [-3.561e-5, 1.144e-4, -9.943e-5],
      [-3.451e-5, -9.943e-5, 5.151e-4],
    ],
    diagnostics: {
      condition_number: 6.62,
      variance_inflation: {},
      max_abs_deviation_percent: 1.861,
      residual_sd_percent: 0.8553,
      degrees_of_freedom: 24,
      lack_of_fit: null,
    },
    residuals: [],
    identifiable: true,
    message: null,
    bootstrap: { unit: 'rows', resamples: 10000, seed: 1, strata: 3, degenerate: 0 },
    independence: null,
  };
}
