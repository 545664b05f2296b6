// SPDX-License-Identifier: Apache-2.0
// What a figure computes beside its sentence: how far the drawn model and cells are from what was printed.
import { brief, decimal } from '../../plots/number';
import type { Catalogue } from '../../state/models';
import type { Axis, Check, Figure, LinesPanel, TablePanel } from './definition';
import type { CellsBySlug } from './evaluate';
import { type Resolved, resolve, type Series } from './resolve';
import { rowsOf } from './table';

interface Finding {
  /** What was compared. */
  readonly what: string;
  /** As printed, if it is. */
  readonly published: string | null;
  /** What the page finds. */
  readonly found: string;
}

interface Deviation {
  /** Theirs − ours, as residuals are observed − predicted: in per cent of theirs; in points where that is a percentage itself. */
  readonly off: number;
  readonly ours: number;
  readonly theirs: number;
  readonly x: number;
  readonly line: string;
}

/** A true minus sign and an explicit plus. */
const signed = (v: number, unit = '%'): string => `${v > 0 ? '+' : ''}${decimal(v, Math.abs(v) < 1 ? 2 : 1)} ${unit}`;

const inPercent = ({ unit }: Axis): boolean => unit.startsWith('%');

const same = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

function valueAt(series: Series, x: number): number | null {
  const [first, last] = [series.spots[0], series.spots[series.spots.length - 1]];
  if (series.at) return x < first.x || x > last.x ? null : series.at(x);
  return series.spots.find((s) => same(s.x, x))?.y ?? null;
}

/** Each spot of one kind beside the other kind's value at the same place. */
export function deviations(resolved: Resolved, of: Series['kind'], from: Series['kind'], points = false): Deviation[] {
  const ours = resolved.series.filter((s) => s.kind === of && s.second === null);
  return resolved.series
    .filter((s) => s.kind === from)
    .flatMap((reference) =>
      reference.spots.flatMap((spot) => {
        const own = ours.find((s) => s.line.id === reference.line.id);
        const value = own ? valueAt(own, spot.x) : null;
        if (value === null || !Number.isFinite(value) || spot.y === 0) return [];
        const off = points ? spot.y - value : 100 * (1 - value / spot.y);
        return [{ off, ours: value, theirs: spot.y, x: spot.x, line: reference.line.label }];
      }),
    );
}

/** "MTU 3000": the first line's name says what the others are numbers of. */
function lineName(panel: LinesPanel, label: string): string {
  const what = /^(\D+ )\d/.exec(panel.lines[0].label)?.[1] ?? '';
  return /^\d+$/.test(label) ? what + label : label;
}

const place = (panel: LinesPanel, { line, x }: Pick<Deviation, 'line' | 'x'>): string => {
  const of = `${panel.x.label.toLowerCase().replace('absolute interrupt ', '').replace('mtu', 'MTU')} ${brief(x, 5)}`;
  return line ? `${lineName(panel, line)}, ${of}` : of;
};

function deviationFinding(
  panel: LinesPanel,
  resolved: Resolved,
  of: Series['kind'],
  from: Series['kind'],
): Finding | null {
  const points = inPercent(panel.y);
  const unit = points ? 'points' : '%';
  const found = deviations(resolved, of, from, points);
  if (found.length === 0) return null;
  const worst = found.reduce((a, b) => (Math.abs(b.off) > Math.abs(a.off) ? b : a));
  const sorted = found.map((d) => Math.abs(d.off)).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const one = found.length === 1;
  const half = median < 0.005 ? 'exact' : `within ${brief(median, 2)} ${unit}`;
  return {
    what: `${from === 'published' ? 'Published' : 'Emulated'} − ${of === 'model' ? 'model' : 'testbed'}, ${one ? 'one' : found.length} ${from === 'emulated' ? 'cells' : one ? 'point' : 'points'}`,
    published: null,
    found: `${one ? '' : 'largest deviation '}${signed(worst.off, unit)}, ${brief(worst.theirs, 4)} against ${brief(worst.ours, 4)} (${place(panel, worst)})${found.length > 4 ? `; half of them ${half}` : ''}`,
  };
}

/** "20 ticks", as a sentence has it. */
const setting = ({ unit, label }: Axis, x: number): string =>
  `${brief(x, 5)} ${unit === '' ? label.toLowerCase() : unit.replace(' of 1.024 µs', '')}`;

const drawn = (resolved: Resolved): Series[] =>
  resolved.series.filter((s) => s.kind !== 'published' && s.second === null);
const who = (series: Series): string => (series.kind === 'model' ? 'model' : 'testbed');
const unitAfter = ({ unit }: Axis): string =>
  unit.startsWith('%') ? ' %' : unit ? ` ${unit.replace('per second', '/s')}` : '';

function byKind(list: readonly Series[], words: (series: Series) => string | null): string {
  const groups = new Map<string, string[]>();
  for (const series of list) {
    const said = words(series);
    if (said === null) continue;
    groups.set(who(series), [...(groups.get(who(series)) ?? []), said]);
  }
  return [...groups].map(([name, said]) => `${name} ${said.join(', ')}`).join('; ');
}

type On<K extends Check['of']> = Extract<Check, { of: K }>;

function changeFinding(panel: LinesPanel, resolved: Resolved, check: On<'change'>): Finding {
  const [a, b] = check.between;
  const list = drawn(resolved).filter((s) => s.line.id === check.line);
  return {
    what: `${lineName(panel, list[0]?.line.label ?? check.line)}, from ${brief(a)} to ${setting(panel.x, b)}`,
    published: check.published,
    found: byKind(list, (series) => {
      const [from, to] = [valueAt(series, a), valueAt(series, b)];
      return from === null || to === null ? null : signed(100 * (to / from - 1));
    }),
  };
}

function peakFinding(panel: LinesPanel, resolved: Resolved, check: On<'peak'>): Finding {
  return {
    what: 'Largest at, and what is left of it at the longest delay',
    published: check.published,
    found: byKind(drawn(resolved), (series) => {
      const spots = check.over.flatMap((x) => {
        const y = valueAt(series, x);
        return y === null ? [] : [{ x, y }];
      });
      if (spots.length === 0) return null;
      const best = spots.reduce((p, q) => (q.y > p.y ? q : p));
      const left = (100 * spots[spots.length - 1].y) / best.y;
      return `${lineName(panel, series.line.label)}: ${setting(panel.x, best.x)}, ${decimal(left, 1)} %`;
    }),
  };
}

function valueFinding(panel: LinesPanel, resolved: Resolved, check: On<'value'>): Finding {
  const list = drawn(resolved).filter((s) => check.line === undefined || s.line.id === check.line);
  return {
    what: `${panel.y.label} at ${setting(panel.x, check.at)}`,
    published: check.published ?? null,
    found: byKind(list, (series) => {
      const value = valueAt(series, check.at);
      if (value === null) return null;
      return `${series.line.label ? `${lineName(panel, series.line.label)}: ` : ''}${brief(value, 3)}${unitAfter(panel.y)}`;
    }),
  };
}

function largestFinding(
  panel: TablePanel,
  check: On<'largest'>,
  rows: readonly (readonly (number | string)[])[],
): Finding {
  const at = panel.columns.findIndex((c) => c.label === check.column);
  const values = rows.map((row) => row[at]).filter((v): v is number => typeof v === 'number');
  const worst = values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
  const column = panel.columns[at];
  return {
    what: `Largest of “${column.label}”`,
    published: check.published,
    found: `${decimal(Math.abs(worst), 1)} ${column.unit ?? ''}, ${decimal(Math.abs(worst) / 100, 2)} % of 10 000`,
  };
}

function findingsOf(figure: Figure, check: Check, catalogue: Catalogue, data: CellsBySlug): (Finding | null)[] {
  const panel = figure.panels['panel' in check ? (check.panel ?? 0) : 0];
  if (check.of === 'largest')
    return panel.form === 'table' ? [largestFinding(panel, check, rowsOf(panel, catalogue, data))] : [];
  if (panel.form !== 'lines') return [];
  const resolved = resolve(panel, catalogue, data);
  if (check.of === 'change') return [changeFinding(panel, resolved, check)];
  if (check.of === 'peak') return [peakFinding(panel, resolved, check)];
  if (check.of === 'value') return [valueFinding(panel, resolved, check)];
  const published = resolved.series.some((s) => s.kind === 'published');
  return [
    deviationFinding(panel, resolved, 'model', 'published'),
    deviationFinding(panel, resolved, 'emulated', 'published'),
    ...(published ? [] : [deviationFinding(panel, resolved, 'model', 'emulated')]),
  ].map((f) => f && (panel.title && figure.panels.length > 1 ? { ...f, what: `${panel.title}: ${f.what}` } : f));
}

/** In the order of the checks; what has no cells yet says nothing. */
export function findings(figure: Figure, catalogue: Catalogue, data: CellsBySlug): Finding[] {
  return figure.checks
    .flatMap((check) => findingsOf(figure, check, catalogue, data))
    .filter((f): f is Finding => f !== null && f.found !== '');
}
