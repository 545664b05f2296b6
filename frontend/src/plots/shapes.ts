// SPDX-License-Identifier: Apache-2.0
// A drawing as data: what a layer puts on the screen and an export writes to a file. Colours are tokens, var(--ink); a file
// gets their values.

export type Attributes = Readonly<Record<string, string | number>>;

export interface Span {
  readonly text: string;
  /** Raised: the 9 of 10⁹. */
  readonly up?: boolean;
  readonly attributes?: Attributes;
}

export interface Shape {
  readonly tag: 'line' | 'path' | 'rect' | 'circle' | 'text';
  readonly attributes: Attributes;
  readonly text?: string;
  readonly spans?: readonly Span[];
}

const r = (v: number): number => Math.round(v * 100) / 100;

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): Shape => ({
  tag: 'line',
  attributes: { x1: r(x1), y1: r(y1), x2: r(x2), y2: r(y2), ...attributes },
});

export const rect = (x: number, y: number, width: number, height: number, attributes: Attributes): Shape => ({
  tag: 'rect',
  attributes: { x: r(x), y: r(y), width: r(Math.max(0, width)), height: r(Math.max(0, height)), ...attributes },
});

export const circle = (cx: number, cy: number, radius: number, attributes: Attributes): Shape => ({
  tag: 'circle',
  attributes: { cx: r(cx), cy: r(cy), r: r(radius), ...attributes },
});

export const path = (d: string, attributes: Attributes): Shape => ({
  tag: 'path',
  attributes: { d, fill: 'none', ...attributes },
});

export const text = (x: number, y: number, content: string, attributes: Attributes): Shape => ({
  tag: 'text',
  attributes: { x: r(x), y: r(y), ...attributes },
  ...richSpans(content),
});

/** Text that moves from frame to frame: a new place is a new transform, and the words need not be laid out again. */
export const moving = (x: number, y: number, content: string, attributes: Attributes, degrees = 0): Shape => ({
  tag: 'text',
  attributes: {
    transform: `translate(${r(x)} ${r(y)})${degrees === 0 ? '' : ` rotate(${r(degrees)})`}`,
    ...attributes,
  },
  ...richSpans(content),
});

const RAISED: Readonly<Record<string, string>> = {
  '⁰': '0',
  '⁴': '4',
  '⁵': '5',
  '⁶': '6',
  '⁷': '7',
  '⁸': '8',
  '⁹': '9',
  '⁻': '−',
  '¹': '1',
  '²': '2',
  '³': '3',
};

/** "per 10⁹ bytes" as spans: the font draws few raised digits of its own. */
export function raise(content: string): Span[] {
  return content
    .split(/([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)/)
    .filter((part) => part !== '')
    .map((part) => (part[0] in RAISED ? { text: [...part].map((c) => RAISED[c]).join(''), up: true } : { text: part }));
}

function richSpans(content: string): { text: string } | { spans: Span[] } {
  const spans = raise(content);
  return spans.some((s) => s.up) ? { spans } : { text: content };
}

/** An open polyline through the points; a gap where a point is not a number, a dot where it has no neighbour. */
export function polyline(xs: ArrayLike<number>, ys: ArrayLike<number>): string {
  let d = '';
  let run = 0;
  const end = (): void => {
    if (run === 1) d += 'Z';
    run = 0;
  };
  for (let i = 0; i < xs.length; i++) {
    if (Number.isFinite(xs[i]) && Number.isFinite(ys[i])) d += `${run++ === 0 ? 'M' : 'L'}${r(xs[i])},${r(ys[i])}`;
    else end();
  }
  end();
  return d;
}

// ---- text styles, as attributes so that a file carries them ------------------------------------------------------

export const TICK: Attributes = { 'font-size': 11, fill: 'var(--ink-2)' };
export const AXIS: Attributes = { 'font-size': 12, fill: 'var(--ink-2)' };
export const NOTE: Attributes = { 'font-size': 11, fill: 'var(--ink-3)' };
export const LIVE: Attributes = { 'font-size': 12, 'font-weight': 600, fill: 'var(--needle-ink)' };
export const HALO: Attributes = {
  stroke: 'var(--ground)',
  'stroke-width': 4,
  'paint-order': 'stroke',
  'stroke-linejoin': 'round',
};
export const MIDDLE: Attributes = { 'text-anchor': 'middle' };
export const END: Attributes = { 'text-anchor': 'end' };

export type Kind = 'published' | 'measured' | 'emulated' | 'simulated';

/** The outline that says what kind a datum is, centred, about `radius` in half-width: many of them can share one path. */
export function markPath(kind: Kind, x: number, y: number, radius: number): string {
  if (kind === 'published')
    return `M${r(x - radius)} ${r(y - radius)}h${r(2 * radius)}v${r(2 * radius)}h${r(-2 * radius)}Z`;
  if (kind === 'measured') {
    const q = r(radius * 1.12);
    return `M${r(x - q)} ${r(y)}a${q} ${q} 0 1 0 ${2 * q} 0a${q} ${q} 0 1 0 ${-2 * q} 0Z`;
  }
  const q = radius * (kind === 'emulated' ? 1.35 : 1.3);
  return kind === 'emulated'
    ? `M${r(x)} ${r(y - q)}L${r(x + q)} ${r(y)}L${r(x)} ${r(y + q)}L${r(x - q)} ${r(y)}Z`
    : `M${r(x)} ${r(y - q)}L${r(x + q)} ${r(y + q * 0.8)}L${r(x - q)} ${r(y + q * 0.8)}Z`;
}

export const mark = (kind: Kind, x: number, y: number, radius: number, attributes: Attributes): Shape =>
  path(markPath(kind, x, y, radius), attributes);
