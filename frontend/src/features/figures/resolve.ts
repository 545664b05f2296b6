// SPDX-License-Identifier: Apache-2.0
// A panel of lines with its numbers: what its sources come to, given the cells that are there.
import type { Catalogue } from '../../state/models';
import type { Axis, CellMarks, Line, LinesPanel, MarkKind, ModelAtCells, ModelCurves, Statement } from './definition';
import { type CellsBySlug, calibrated, chosen, halfOf, type Numbers, predictor, rowOf, termOf } from './evaluate';

export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly half: number | null;
  /** Runs; absent where nobody says. */
  readonly n?: number;
}

/** The marks of one kind on one line. */
export interface Series {
  readonly kind: MarkKind;
  readonly line: Line;
  readonly spots: readonly Spot[];
  /** Joined by a line: predictions. */
  readonly joined: boolean;
  /** Another model than the panel's first. */
  readonly second: string | null;
  /** The prediction anywhere; null for what is known at its spots only. */
  readonly at: ((x: number) => number) | null;
}

export interface Resolved {
  readonly series: readonly Series[];
  readonly statements: readonly Statement[];
}

/** Enough for the steps of a timer. */
export const FINE = 600;
/** Enough for a small multiple. */
export const COARSE = 120;

/** Places along an axis, evenly as it is spaced. */
export function samplesOf({ domain: [lo, hi], spacing }: Axis, count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const t = i / (count - 1);
    if (i === 0) return lo;
    if (i === count - 1) return hi;
    return spacing === 'log' ? lo * (hi / lo) ** t : lo + (hi - lo) * t;
  });
}

function fromCells(panel: LinesPanel, source: CellMarks, data: CellsBySlug): Series[] {
  const { by, lines } = source;
  const cells = chosen(data, source.cells) ?? [];
  return panel.lines.flatMap((line): Series[] => {
    const own = by === undefined ? line.id === source.line : lines === undefined || line.id in lines;
    if (!own) return [];
    const level = lines?.[line.id] ?? line.id;
    const spots = cells
      .filter((cell) => by === undefined || String(cell.factors[by]) === level)
      .map((cell) => {
        const row = rowOf(cell);
        return {
          x: termOf(source.x, row),
          y: termOf(source.y, row),
          half: halfOf(source.y, cell),
          ...(source.cells.kind === 'emulated' && { n: cell.runs }),
        };
      })
      .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
      .sort((a, b) => a.x - b.x);
    return spots.length > 0 ? [{ kind: source.cells.kind, line, spots, joined: false, second: null, at: null }] : [];
  });
}

/** A line's prediction as a function of x, with the parameter that is tuned for it. */
function curveOf(catalogue: Catalogue, source: ModelCurves, line: string): (x: number) => number {
  const predict = predictor(catalogue, source);
  const along = (x: number): Numbers => ({ [source.along]: x * (source.along_times ?? 1) });
  const own = source.per[line] ?? {};
  const tuned = tunedFor(catalogue, source, line);
  const at = tuned === null || !source.calibrate ? own : { ...own, [source.calibrate.parameter]: tuned };
  return (x) => predict({ ...at, ...along(x) });
}

/** The tuned parameter of a line, or null. */
export function tunedFor(catalogue: Catalogue, source: ModelCurves, line: string): number | null {
  const { calibrate } = source;
  if (!calibrate) return null;
  const predict = predictor(catalogue, { ...source, output: calibrate.output, times: 1 });
  const along = (x: number): Numbers => ({ [source.along]: x * (source.along_times ?? 1) });
  return calibrated(predict, source.per[line] ?? {}, along, calibrate);
}

function fromModel(panel: LinesPanel, source: ModelCurves, catalogue: Catalogue, samples: number): Series[] {
  return panel.lines
    .filter((line) => line.id in source.per)
    .map((line) => {
      const at = curveOf(catalogue, source, line.id);
      const xs = samplesOf({ ...panel.x, domain: source.domains?.[line.id] ?? panel.x.domain }, samples);
      const spots = xs.map((x) => ({ x, y: at(x), half: null }));
      return { kind: 'model', line, spots, joined: true, second: source.second ?? null, at };
    });
}

function modelAtCells(panel: LinesPanel, source: ModelAtCells, catalogue: Catalogue, data: CellsBySlug): Series[] {
  const predict = predictor(catalogue, source);
  const cells = chosen(data, source.cells) ?? [];
  return panel.lines.flatMap((line): Series[] => {
    const spots = cells
      .filter((cell) => String(cell.factors[source.by]) === line.id)
      .map((cell) => {
        const row = rowOf(cell);
        const inputs = Object.entries(source.inputs).map(([name, term]) => [name, termOf(term, row)]);
        return { x: termOf(source.x, row), y: predict(Object.fromEntries(inputs)), half: null };
      })
      .sort((a, b) => a.x - b.x);
    return spots.length > 0 ? [{ kind: 'model', line, spots, joined: true, second: null, at: null }] : [];
  });
}

export function resolve(panel: LinesPanel, catalogue: Catalogue, data: CellsBySlug, samples = FINE): Resolved {
  const series: Series[] = [];
  const statements: Statement[] = [];
  for (const source of panel.sources) {
    if (source.from === 'cells') series.push(...fromCells(panel, source, data));
    else if (source.from === 'model') series.push(...fromModel(panel, source, catalogue, samples));
    else if (source.from === 'model-at-cells') series.push(...modelAtCells(panel, source, catalogue, data));
    else statements.push(source);
  }
  return { series, statements };
}
