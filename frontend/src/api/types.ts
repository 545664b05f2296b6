// SPDX-License-Identifier: Apache-2.0
// The names under which the page uses the server's schemas.

export type Kind = 'published' | 'measured' | 'emulated' | 'simulated';
export type FactorValue = number | string;
export type Factors = Record<string, FactorValue>;

export interface Quantity {
  name: string;
  label: string;
  symbol: string;
  unit: string;
  description: string;
  domain: [number | null, number | null];
  typical: [number, number] | null;
  role: 'factor' | 'measure' | 'parameter';
  text: boolean;
  source: string;
}

export interface Parameter extends Quantity {
  default: number;
  lo: number;
  hi: number;
  step: number;
}

export interface Model {
  id: string;
  title: string;
  summary: string;
  citation: string;
  inputs: Quantity[];
  parameters: Parameter[];
  outputs: Quantity[];
  plane: { x: string; y: string } | null;
  axes: Record<string, 'x' | 'y' | 'xy'>;
  latex: Record<string, string>;
}

export interface Factor {
  name: string;
  label: string;
  unit: string;
  levels: FactorValue[];
}

export interface Glance {
  measure: string;
  x: string;
  y: string | null;
  rows: (number | null)[][];
}

interface ExperimentCore {
  slug: string;
  title: string;
  subtitle: string;
  kind: Kind;
  citation: string | null;
  source_note: string | null;
  factors: Factor[];
  cells: number;
  designed_cells: number;
  runs: number;
  replicates_label: string;
  data_version: number;
  updated_at: string;
}

export interface ExperimentSummary extends ExperimentCore {
  measures: string[];
  glance: Glance[];
}

export interface MeasureOf extends Quantity {
  cells: number;
}

export interface Experiment extends ExperimentCore {
  source: {
    citation: string | null;
    url: string | null;
    licence: string | null;
    how_made: string | null;
    notes: string[];
  };
  fixed: { label: string; value: string }[];
  measures: MeasureOf[];
  notes: string[];
  default_view: { measure: string; x: string; y: string | null; where: Factors } | null;
  default_fit: { model: string; method: string; where: Factors } | null;
}

export interface CellMeasure {
  n: number;
  mean: number;
  sd: number | null;
  ci95: [number, number] | null;
}

export interface Cell {
  id: number;
  factors: Factors;
  runs: number;
  partial_runs: number;
  measures: Record<string, CellMeasure>;
}

export interface Cells {
  experiment: string;
  data_version: number;
  cells: Cell[];
}

export interface Interval {
  value: number | null;
  unit: string;
  ci95: [number, number] | null;
  standard_error: number | null;
}

export interface Fit {
  experiment: string;
  data_version: number;
  where: Factors;
  model: string;
  method: string;
  response: string;
  response_unit: string;
  n: number;
  estimates: Record<string, Interval>;
  covariance: number[][] | null;
  diagnostics: {
    condition_number: number | null;
    variance_inflation: Record<string, number> | null;
    max_abs_deviation_percent: number | null;
    residual_sd_percent: number | null;
    degrees_of_freedom: number;
  };
  residuals: {
    index: number;
    observed: number;
    predicted: number;
    deviation_percent: number;
    factors: Factors;
  }[];
  identifiable: boolean;
  message: string | null;
  bootstrap: { unit: 'rows' | 'replicates'; resamples: number; seed: number; strata: string | null } | null;
}

export interface FitRequest {
  model: string;
  method: 'paper-tls' | 'ols';
  where?: Factors;
  resamples?: number;
  seed?: number;
}

export type Where = Record<string, string | number | null>;

export interface Problem {
  code: string;
  message: string;
  where: Where;
  advice: string | null;
}

export interface ErrorBody extends Problem {
  problems?: Problem[];
}

export interface Warning {
  code: string;
  message: string;
  where: Where | null;
}

export interface UploadedRun {
  id: string;
  factors: Factors;
  replicate: number | null;
  partial: boolean;
}

export interface UploadReceipt {
  outcome: 'stored' | 'known';
  sha256: string;
  bytes: number;
  filename: string;
  content: 'run_log' | 'csv';
  experiment: { slug: string; title: string };
  runs: UploadedRun[];
  run_count: number;
  warnings: Warning[];
}

export interface Run {
  id: string;
  factors: Factors;
  replicate: number | null;
  state: string;
  partial: boolean;
  measures: Record<string, number | null>;
  warnings: Warning[];
}

export interface ShortLink {
  token: string;
  path: string;
  url: string;
}

export interface RunEvent {
  at: string;
  change: string;
  reason: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface RunDetail extends Run {
  experiment: { slug: string; title: string; kind: Kind };
  header: Record<string, unknown> | null;
  history: RunEvent[];
}
