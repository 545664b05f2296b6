// SPDX-License-Identifier: Apache-2.0
// What the panel takes from a fit: the values, how sure they are, and the rulers that show both.
import type { Fit, Interval } from '../api/types';
import { brief, decimal, digitsOfStep } from '../plots/number';
import { niceStep } from '../plots/scale';
import type { BundledModel } from './models';

/** Student's t, two-sided 95 %: exact for 1 and 2 degrees of freedom, else Cornish and Fisher's expansion (within 1e-3 from 3 on). */
export function t95(df: number): number {
  if (!(df >= 1)) return Number.NaN;
  if (df === 1) return 12.7062047362;
  if (df === 2) return 4.30265272975;
  const z = 1.959963984540054;
  const [z3, z5, z7, z9] = [z ** 3, z ** 5, z ** 7, z ** 9];
  return (
    z +
    (z3 + z) / (4 * df) +
    (5 * z5 + 16 * z3 + 3 * z) / (96 * df ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * df ** 3) +
    (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * df ** 4)
  );
}

/** Whether the replicates contradict the model. */
export const isRejected = (fit: Fit): boolean => fit.diagnostics.lack_of_fit?.rejected === true;

/** The interval of an estimate, be it one that holds only if what it is made of is independent. */
export const intervalOf = ({ ci95, ci95_if_independent: other }: Interval) => ci95 ?? other ?? null;

/** After "95 %" or "interval": on what condition it holds. */
export const conditionOf = ({ ci95 }: Interval): string => (ci95 ? '' : ' if independent');

/** One slider: where it starts, what the data allow, how far the ruler goes. */
export interface Slider {
  readonly name: string;
  readonly label: string;
  readonly symbolMath: string;
  readonly unit: string;
  /** Where it stands until it is touched. */
  readonly start: number;
  readonly interval: readonly [number, number] | null;
  /** On which the interval holds, in words after "95 %"; empty where on none. */
  readonly condition: string;
  readonly fitted: boolean;
  readonly lo: number;
  readonly hi: number;
  readonly step: number;
  /** Hard bounds: what an address or the keyboard cannot go beyond. */
  readonly domain: readonly [number, number];
  readonly digits: number;
  /** A parameter that spans decades moves in logarithms. */
  readonly spacing: 'linear' | 'log';
  readonly tone: 'byte' | 'packet' | 'interrupt' | null;
  /** Of a code: what 0, 1, 2 … stand for. */
  readonly meanings: readonly string[];
}

const TONES: Readonly<Record<string, Slider['tone']>> = { alpha: 'byte', beta: 'packet', gamma: 'interrupt' };

/** A ruler about 4.5 intervals wide round the estimate, on round numbers, within the domain. */
function rulerAround(
  value: number,
  interval: readonly [number, number],
  domain: readonly [number, number],
): [number, number, number] {
  const span = Math.max(interval[1] - interval[0], Math.abs(value) * 1e-3, 1e-12) * 4.5;
  const tick = niceStep(span / 9);
  let lo = Math.floor((value - span / 2) / tick) * tick;
  let hi = Math.ceil((value + span / 2) / tick) * tick;
  lo = Math.max(domain[0], Math.min(lo, interval[0]));
  hi = Math.min(domain[1], Math.max(hi, interval[1]));
  const clean = (v: number): number => Number(v.toPrecision(10));
  return [clean(lo), clean(hi), clean(tick / 20)];
}

export interface ScalarTerm {
  readonly name: string;
  readonly label: string;
  readonly symbolMath: string;
  readonly unit: string;
  readonly domain: readonly [number | null, number | null];
  readonly start: number;
  readonly lo: number;
  readonly hi: number;
  readonly step: number;
  readonly meanings?: readonly string[];
}

/** Decimals that show two digits of the interval's width; the paper's own three at least. */
const significantDigits = (width: number): number => Math.max(3, Math.min(9, 1 - Math.floor(Math.log10(width))));

function sliderOf(term: ScalarTerm, fit: Fit | null, now: number | undefined): Slider {
  const bounds: [number, number] = [
    term.domain[0] ?? Number.NEGATIVE_INFINITY,
    term.domain[1] ?? Number.POSITIVE_INFINITY,
  ];
  const estimate = fit?.identifiable ? fit.estimates[term.name] : undefined;
  const fitted = typeof estimate?.value === 'number';
  const start = fitted ? (estimate.value as number) : term.start;
  const interval = fitted ? intervalOf(estimate) : null;
  let [lo, hi, step] = interval
    ? rulerAround(start, interval, bounds)
    : [Math.min(term.lo, start), Math.max(term.hi, start), term.step];
  if (now !== undefined) {
    const tick = niceStep((hi - lo) / 9);
    if (now < lo) lo = Math.max(bounds[0], Math.floor(now / tick) * tick);
    if (now > hi) hi = Math.min(bounds[1], Math.ceil(now / tick) * tick);
  }
  return {
    name: term.name,
    label: term.label,
    symbolMath: term.symbolMath,
    unit: fitted ? (estimate.unit ?? term.unit) : term.unit,
    start,
    interval,
    condition: interval && estimate ? conditionOf(estimate) : '',
    fitted,
    lo,
    hi,
    step,
    domain: bounds,
    spacing: !interval && lo > 0 && hi / lo >= 50 ? 'log' : 'linear',
    digits: interval ? significantDigits(interval[1] - interval[0]) : digitsOfStep(step),
    tone: TONES[term.name] ?? null,
    meanings: term.meanings ?? [],
  };
}

/** Where a slider starts, in its own digits: costs in seconds are thousandths. */
export function startWords({ start, interval, condition, digits }: Slider): string {
  if (!interval) return `starts at ${decimal(start, digits)}`;
  return `fit ${decimal(start, digits)}, 95 %${condition} ${interval.map((end) => decimal(end, digits)).join(' to ')}`;
}

const STRIDES = 400;

/** How far along its track a slider stands for a value; the step of a track in these units. */
export const trackOf = (s: Slider, value: number): number => (s.spacing === 'log' ? Math.log(value) : value);
export const strideOf = (s: Slider): number => (s.spacing === 'log' ? Math.log(s.hi / s.lo) / STRIDES : s.step);

/** The value a place on the track stands for: round, and the start itself within half a step. */
export function settingAt(s: Slider, track: number): number {
  if (Math.abs(track - trackOf(s, s.start)) <= 0.51 * strideOf(s)) return s.start;
  if (s.spacing === 'linear') return Number(track.toPrecision(10));
  const value = Math.exp(track);
  // three digits: finer than a stride, so that no key is lost to rounding
  const power = 10 ** (Math.floor(Math.log10(value)) - 2);
  return Number(Math.max(s.lo, Math.min(s.hi, Math.round(value / power) * power)).toPrecision(10));
}

/** What was typed, as a value that the slider can take, or why it cannot. A code can be typed as its word. */
export function numberIn(s: Slider, text: string): number | string {
  const word = s.meanings.indexOf(text.trim());
  const plain = text.replace(/[\s\u2009\u202f]/g, '').replace('\u2212', '-');
  // a comma is a point where it can be nothing else
  const value = word >= 0 ? word : plain === '' ? Number.NaN : Number(plain.replace(/^([^.,]*),([^.,]*)$/, '$1.$2'));
  if (!Number.isFinite(value)) return 'is not a number';
  const [lo, hi] = s.domain;
  if (value >= lo && value <= hi) return value;
  if (Number.isFinite(lo) && Number.isFinite(hi)) return `is not between ${lo} and ${hi}`;
  return value < lo ? `is less than ${lo}` : `is more than ${hi}`;
}

export function slidersOf(
  terms: readonly ScalarTerm[],
  fit: Fit | null,
  overrides: Readonly<Record<string, number>>,
): Slider[] {
  return terms.map((term) => sliderOf(term, fit, overrides[term.name]));
}

/** The values of the sliders: those set by hand, the others where they start. */
export const thetaOf = (
  sliders: readonly Slider[],
  overrides: Readonly<Record<string, number>>,
): Record<string, number> => Object.fromEntries(sliders.map((s) => [s.name, overrides[s.name] ?? s.start]));

/**
 * Half the 95 % interval of a prediction: where the mean of a cell would lie that is measured there. The fit's covariance through
 * the model's slope there, and beside it what cells deviate from the model by, misfit included. Each counts as well as it is known:
 * what few rounds or days tell of the covariance is little, however many cells there are.
 */
export function predictionHalf(
  fit: Fit,
  names: readonly string[],
  gradient: readonly number[],
  value: number,
): number | null {
  const { bootstrap, covariance, diagnostics, estimates, independence } = fit;
  const sd = diagnostics.residual_sd_percent;
  const fitted = Object.keys(estimates);
  const at = names.map((name) => fitted.indexOf(name));
  if (covariance?.length !== fitted.length || at.includes(-1) || typeof sd !== 'number') return null;
  let ofFit = 0;
  for (let i = 0; i < names.length; i++)
    for (let j = 0; j < names.length; j++) ofFit += gradient[i] * covariance[at[i]][at[j]] * gradient[j];
  const freedom = diagnostics.degrees_of_freedom;
  const clusters = bootstrap.unit === 'clusters' ? independence?.clusters : null;
  const half = Math.hypot(t95(clusters ? clusters - 1 : freedom) * Math.sqrt(ofFit), t95(freedom) * (sd / 100) * value);
  return ofFit >= 0 ? half : null;
}

/** Per cent that cells deviate by from a model which is no picture of them any more. */
const FAR_PERCENT = 10;

/** Why the surface of a fit does not stand in the place of the data by itself; null where it does. */
export function whyNotDrawn(fit: Fit): string | null {
  if (!fit.identifiable) return fit.message || 'These cells do not tell its parameters apart.';
  const { lack_of_fit: found, residual_sd_percent: residual } = fit.diagnostics;
  // runs that scatter are no misfit: where there are replicates, these say
  const percent = found ? (found.rejected ? found.misfit_percent : 0) : (residual ?? 0);
  if (percent <= FAR_PERCENT) return null;
  const far = `Cells deviate from it by ${brief(percent, 2)} %.`;
  // of a rejection the message says where and by how much
  return (found && fit.message) || far;
}

/** What the replicates say of the model, with numbers; empty where there are none. */
export function verdict(fit: Fit): string {
  const found = fit.diagnostics.lack_of_fit;
  if (!found) return '';
  const degrees = `${found.model_degrees_of_freedom}, ${found.noise_degrees_of_freedom}`;
  const chance = found.p_value < 0.001 ? 'p < 0.001' : `p ${found.bounded ? '≤' : '='} ${brief(found.p_value, 2)}`;
  return `the replicates ${found.rejected ? 'reject' : 'do not reject'} the model: F(${degrees}) ${found.bounded ? '≥' : '='} ${brief(found.f, 4)}, ${chance}; cells deviate by ${brief(found.misfit_percent, 2)} %, runs by ${found.bounded ? 'at most ' : ''}${brief(found.noise_percent, 2)} %`;
}

/** Half the 95 % interval of a cell as a share of its mean, pooled from the fit's residuals: for cells that came without a deviation. */
export function pooledShare(fit: Fit | null): number | null {
  const sd = fit?.identifiable ? fit.diagnostics.residual_sd_percent : null;
  if (typeof sd !== 'number' || !fit) return null;
  return (t95(fit.diagnostics.degrees_of_freedom) * sd) / 100;
}

/** Of the 2005 study: what the costs of the models stand in until they are fitted. */
const JIFFY_S = 0.01;

/** A cost in seconds instead of jiffies: for measures that are in seconds. */
export function inSeconds<T extends ScalarTerm>(term: T): T {
  if (!term.unit.startsWith('jiffies/')) return term;
  const seconds = (jiffies: number): number => Number((jiffies * JIFFY_S).toPrecision(10));
  return {
    ...term,
    unit: term.unit.replace('jiffies', 's'),
    start: seconds(term.start),
    lo: seconds(term.lo),
    hi: seconds(term.hi),
    step: seconds(term.step),
  };
}

export const parameterTerms = (model: BundledModel): ScalarTerm[] =>
  model.parameters.map((p) => ({
    name: p.name,
    label: p.label,
    symbolMath: p.symbolMath,
    unit: p.unit,
    domain: p.domain,
    start: p.default,
    lo: p.lo,
    hi: p.hi,
    step: p.step,
    meanings: p.meanings,
  }));
