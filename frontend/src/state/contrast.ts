// SPDX-License-Identifier: Apache-2.0
// Two values of one setting set against each other: a cell and the model, or the cells of two experiments.
import type { Contrast } from './figure';
import { t95 } from './fit';
import type { Point } from './layout';

/** `told`: the interval leaves out “no difference”. `same`: it holds it. `unjudged`: there is no interval to say. */
type Judgement = 'told' | 'same' | 'unjudged';

export interface Contrasted {
  readonly point: Point;
  /** A difference, a ratio, or a difference in standard errors; NaN where the two have none. */
  readonly value: number;
  /** Half the 95 % interval of a difference or of ln ratio; null where it is not known. */
  readonly half: number | null;
  readonly other: number;
  readonly judged: Judgement;
}

/** Standard error of a cell's mean and its degrees of freedom. `pooledDf`: of the fit whose residuals stand in. */
function errorOf(p: Point, pooledDf: number): { se: number; df: number } | null {
  if (p.half === null) return null;
  const df = p.from === 'residuals' ? pooledDf : p.n - 1;
  const t = t95(df);
  return Number.isFinite(t) ? { se: p.half / t, df } : null;
}

function judge(distance: number, half: number | null): Judgement {
  if (half === null || !Number.isFinite(distance)) return 'unjudged';
  return Math.abs(distance) > half ? 'told' : 'same';
}

function contrasted(
  point: Point,
  other: number,
  contrast: Contrast,
  se: number | null,
  half: number | null,
): Contrasted {
  const distance = point.mean - other;
  const judged = judge(distance, half);
  if (contrast === 'errors') {
    const value = se !== null && se > 0 ? distance / se : Number.NaN;
    return { point, value, half: null, other, judged };
  }
  if (contrast === 'difference') return { point, value: distance, half, other, judged };
  const apart = point.mean > 0 && other > 0 ? point.mean / other : Number.NaN;
  return { point, value: apart, half: half === null ? null : half / point.mean, other, judged };
}

/** Cell minus model, or cell over model. The model counts as exact: the interval is the cell's. */
export function againstModel(point: Point, predicted: number, contrast: Contrast, pooledDf: number): Contrasted {
  return contrasted(point, predicted, contrast, errorOf(point, pooledDf)?.se ?? null, point.half);
}

/** One experiment's cell minus, or over, the other's; Welch's interval. */
export function againstCell(point: Point, other: Point, contrast: Contrast, pooledDf: number): Contrasted {
  const a = errorOf(point, pooledDf);
  const b = errorOf(other, pooledDf);
  if (!a || !b) return contrasted(point, other.mean, contrast, null, null);
  // of a ratio: the same on logarithms, each standard error relative to its mean
  const inLogs = contrast === 'ratio' && point.mean > 0 && other.mean > 0;
  const [va, vb] = [(a.se / (inLogs ? point.mean : 1)) ** 2, (b.se / (inLogs ? other.mean : 1)) ** 2];
  const se = Math.sqrt(va + vb);
  const df = se > 0 ? (va + vb) ** 2 / (va ** 2 / a.df + vb ** 2 / b.df) : Math.min(a.df, b.df);
  const half = t95(Math.max(1, df)) * se;
  if (!inLogs) return contrasted(point, other.mean, contrast, se, half);
  const value = point.mean / other.mean;
  return { point, value, half, other: other.mean, judged: judge(Math.log(value), half) };
}
