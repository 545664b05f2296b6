// SPDX-License-Identifier: Apache-2.0
// Lines: models below, emulated cells on them, published numbers on top.
import { dodge } from '../../../plots/dodge';
import { brief } from '../../../plots/number';
import { END, HALO, LETTER_PX, line, mark, NOTE, path, polyline, type Shape, TEXT, text } from '../../../plots/shapes';
import type { Line, LinesPanel, Statement } from '../definition';
import { quantitiesOn } from '../quantities';
import type { Resolved, Series, Spot } from '../resolve';
import { axisShapes, type Frame, frameOf, gridShapes, type Place, type Size, SWATCH } from './axes';
import { markText } from './markText';

export const inkOf = ({ tone }: Pick<Line, 'tone'>): string => `var(--mtu-${tone})`;

/** A curve within the frame: where it leaves, it ends on the frame. */
function within(spots: readonly Spot[], frame: Frame): string {
  const xs: number[] = [];
  const ys: number[] = [];
  const push = (x: number, y: number): void => {
    xs.push(x);
    ys.push(y);
  };
  const { top, bottom, left, right } = frame;
  const inside = (y: number): boolean => y >= top - 0.5 && y <= bottom + 0.5;
  let last: { X: number; Y: number } | null = null;
  for (const spot of spots) {
    const [X, Y] = [frame.x(spot.x), frame.y(spot.y)];
    if (!Number.isFinite(Y) || X < left - 0.5 || X > right + 0.5) {
      push(Number.NaN, Number.NaN);
      last = null;
      continue;
    }
    if (last && inside(Y) !== inside(last.Y)) {
      const edge = (inside(Y) ? last.Y : Y) < top ? top : bottom;
      push(last.X + ((X - last.X) * (edge - last.Y)) / (Y - last.Y), edge);
      if (!inside(Y)) push(Number.NaN, Number.NaN);
    }
    if (inside(Y)) push(X, Y);
    last = { X, Y };
  }
  return polyline(xs, ys);
}

function curveShapes(series: Series, frame: Frame): Shape[] {
  const d = within(series.spots, frame);
  if (d === '') return [];
  const dashes: Record<string, string> = series.second === null ? {} : { 'stroke-dasharray': '4 3' };
  return [path(d, { stroke: inkOf(series.line), 'stroke-width': series.second === null ? 1.5 : 1.25, ...dashes })];
}

const inFrame = (X: number, Y: number, frame: Frame): boolean =>
  X >= frame.left - 1 && X <= frame.right + 1 && Y >= frame.top - 1 && Y <= frame.bottom + 1;

function markShapes(series: Series, frame: Frame): Shape[] {
  const ink = inkOf(series.line);
  const published = series.kind === 'published';
  const r = frame.small ? (published ? 2.5 : 2) : published ? 4 : 3;
  return series.spots.flatMap(({ x, y, half, n }): Shape[] => {
    const [X, Y] = [frame.x(x), frame.y(y)];
    if (!inFrame(X, Y, frame)) return [];
    const out: Shape[] = [];
    if (half !== null && !frame.small) {
      const [a, b] = [frame.y(y + half), frame.y(y - half)].map((v) => Math.max(frame.top, Math.min(frame.bottom, v)));
      if (b - a > 2 * r)
        for (const [x1, y1, x2, y2] of [
          [X, a, X, b],
          [X - 3, a, X + 3, a],
          [X - 3, b, X + 3, b],
        ])
          out.push(line(x1, y1, x2, y2, { stroke: ink, 'stroke-width': 1 }));
    }
    out.push({
      ...mark(published ? 'published' : 'emulated', X, Y, r, {
        fill: ink,
        stroke: 'var(--ground)',
        'stroke-width': 1,
      }),
      title: `${series.line.label}, ${series.kind}, at ${brief(x, 5)}: ${markText(y, half, n)}`,
    });
    return out;
  });
}

const ARROW = { above: -1, below: 1 } as const;

/** What the text says without a table: hollow squares, with an arrow where it says more or less. */
function statementShapes(statements: readonly Statement[], lines: readonly Line[], frame: Frame): Shape[] {
  let rule = 0;
  return statements.flatMap((s): Shape[] => {
    const ink = inkOf(lines.find((l) => l.id === s.line) ?? { tone: 5 });
    const X = frame.x(s.x);
    const note = { ...NOTE, ...HALO };
    if (s.y === null) {
      const out: Shape[] = [
        line(X, frame.top, X, frame.bottom, { stroke: 'var(--line-3)', 'stroke-dasharray': '2 3' }),
      ];
      out.push(
        mark('published', X, frame.bottom, frame.small ? 2 : 3, {
          fill: 'var(--ground)',
          stroke: ink,
          'stroke-width': 1.5,
        }),
      );
      if (frame.small) return out;
      const room = s.words.length * LETTER_PX.sentence;
      const left = X + 6 + room > frame.right;
      out.push(text(left ? X - 6 : X + 6, frame.bottom - 10 - 15 * rule++, s.words, left ? { ...note, ...END } : note));
      return out;
    }
    const Y = frame.y(s.y);
    const r = frame.small ? 2.25 : 3.75;
    const out = [mark('published', X, Y, r, { fill: 'var(--ground)', stroke: ink, 'stroke-width': 1.5 })];
    if (s.relation === 'above' || s.relation === 'below') {
      const way = ARROW[s.relation];
      out.push(
        path(`M${X} ${Y + way * r}V${Y + way * (r + 9)}m-3 ${-3 * way}l3 ${3 * way}l3 ${-3 * way}`, {
          stroke: ink,
          'stroke-width': 1.25,
        }),
      );
    }
    if (frame.small) return out;
    const left = X + 10 + s.words.length * LETTER_PX.sentence > frame.right;
    out.push(text(left ? X - 9 : X + 9, Y, s.words, { dy: '0.34em', ...(left ? { ...note, ...END } : note) }));
    return out;
  });
}

/** Names in rows above the plot, where there is no room beside it. */
function legendShapes(lines: readonly Line[], places: readonly Place[]): Shape[] {
  return lines.flatMap((own, i) => {
    if (own.label === '') return [];
    const { x, y } = places[i];
    const stroke = line(x, y - 4, x + SWATCH - 5, y - 4, { stroke: inkOf(own), 'stroke-width': 2 });
    return [stroke, text(x + SWATCH, y, own.label, { 'font-size': TEXT.label, 'font-weight': 600, fill: inkOf(own) })];
  });
}

/** Where each line is at the right: its name stands there, in its colour. */
function nameShapes(panel: LinesPanel, { series }: Resolved, frame: Frame): Shape[] {
  if (frame.legend) return legendShapes(panel.lines, frame.legend);
  const ends = panel.lines.flatMap((line) => {
    const own = series.filter((s) => s.line.id === line.id && s.spots.length > 0);
    const first =
      own.find((s) => s.kind === 'model' && s.second === null) ?? own.find((s) => s.kind !== 'model') ?? own[0];
    const spot = first?.spots.findLast((s) => {
      const Y = frame.y(s.y);
      return Y >= frame.top - 1 && Y <= frame.bottom + 1 && frame.x(s.x) <= frame.right + 1;
    });
    return spot ? [{ line, X: frame.x(spot.x), Y: frame.y(spot.y) }] : [];
  });
  const ys = dodge(
    ends.map((e) => e.Y),
    14,
    frame.top + 6,
    frame.bottom - 6,
  );
  return ends.map(({ line, X }, i) => {
    const style = { dy: '0.33em', 'font-size': TEXT.label, 'font-weight': 600, fill: inkOf(line), ...HALO };
    if (X < frame.left + 60) return text(X + 9, ys[i], line.label, style);
    return X < frame.right - 40
      ? text(Math.min(X, frame.right) - 2, ys[i], line.label, { ...style, ...END })
      : text(frame.right + 8, ys[i], line.label, style);
  });
}

/** More names than these have no room one above the other in a small multiple. */
const MOST_NAMED_SMALL = 7;

/** Where one line is all there is, a small multiple's title says what it is. */
const isNamedSmall = ({ lines }: LinesPanel): boolean => lines.length > 1 && lines.length <= MOST_NAMED_SMALL;

export function linesShapes(panel: LinesPanel, resolved: Resolved, size: Size): Shape[] {
  const names = size.small && !isNamedSmall(panel) ? [] : panel.lines.map((l) => l.label);
  const frame = frameOf(panel.x, panel.y, size, names);
  const of = (kind: Series['kind']): readonly Series[] => resolved.series.filter((s) => s.kind === kind);
  return [
    ...gridShapes(frame),
    ...of('model').flatMap((s) => curveShapes(s, frame)),
    ...axisShapes(panel.x, panel.y, frame, quantitiesOn(panel)),
    ...of('emulated').flatMap((s) => markShapes(s, frame)),
    ...(size.small && !frame.areBeside ? [] : nameShapes(panel, resolved, frame)),
    ...statementShapes(resolved.statements, panel.lines, frame),
    ...of('published').flatMap((s) => markShapes(s, frame)),
  ];
}
