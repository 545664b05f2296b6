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
  readonly tag: 'line' | 'path' | 'polygon' | 'rect' | 'circle' | 'text';
  readonly attributes: Attributes;
  readonly text?: string;
  readonly spans?: readonly Span[];
  /** What is said where the pointer rests on it. */
  readonly title?: string;
}

/** As finely as a drawing says where something is. */
export const hundredths = (v: number): number => Math.round(v * 100) / 100;

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): Shape => ({
  tag: 'line',
  attributes: { x1: hundredths(x1), y1: hundredths(y1), x2: hundredths(x2), y2: hundredths(y2), ...attributes },
});

export const rect = (x: number, y: number, width: number, height: number, attributes: Attributes): Shape => ({
  tag: 'rect',
  attributes: {
    x: hundredths(x),
    y: hundredths(y),
    width: hundredths(Math.max(0, width)),
    height: hundredths(Math.max(0, height)),
    ...attributes,
  },
});

export const circle = (cx: number, cy: number, radius: number, attributes: Attributes): Shape => ({
  tag: 'circle',
  attributes: { cx: hundredths(cx), cy: hundredths(cy), r: hundredths(radius), ...attributes },
});

export const path = (d: string, attributes: Attributes): Shape => ({
  tag: 'path',
  attributes: { d, fill: 'none', ...attributes },
});

/** A line as a path, which `gathered` joins with those that look the same. */
export const tick = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes): Shape =>
  path(`M${hundredths(x1)} ${hundredths(y1)}L${hundredths(x2)} ${hundredths(y2)}`, attributes);

export const text = (x: number, y: number, content: string, attributes: Attributes): Shape => ({
  tag: 'text',
  attributes: { x: hundredths(x), y: hundredths(y), ...attributes },
  ...richSpans(content),
});

/** Degrees: what nobody sees in a word that moves. */
const TURN = 2;

/**
 * Text that moves from frame to frame: a new place is a new transform, and the words need not be laid out again. It stands at whole pixels and a few
 * angles, at rest as in motion: a canvas makes a set of letters from outlines for each other place and angle.
 */
export function moving(x: number, y: number, content: string, attributes: Attributes, degrees = 0): Shape {
  const turned = Math.round(degrees / TURN) * TURN;
  const transform = `translate(${Math.round(x)} ${Math.round(y)})${turned === 0 ? '' : ` rotate(${turned})`}`;
  return { tag: 'text', attributes: { transform, ...attributes }, ...richSpans(content) };
}

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

const LOWERED = new Map(Object.entries(RAISED).map(([up, plain]) => [plain, up]));

/** What spans say, raised characters as such. */
export const raisedWords = (spans: readonly Span[]): string =>
  spans.map(({ text, up }) => (up ? [...text].map((c) => LOWERED.get(c) ?? c).join('') : text)).join('');

function richSpans(content: string): { text: string } | { spans: Span[] } {
  const spans = raise(content);
  return spans.some((s) => s.up) ? { spans } : { text: content };
}

/** All attributes of a path but its outline, as one word. */
function lookOf(attributes: Attributes): string {
  let look = '';
  for (const name in attributes) if (name !== 'd') look += `${name}=${attributes[name]};`;
  return look;
}

/** Paths that look the same become one, where the first of them stood: a browser lays out and paints each element for itself. */
export function gathered(shapes: readonly Shape[]): Shape[] {
  const byLook = new Map<string, { d: string; attributes: Attributes }>();
  const out: (Shape | { d: string; attributes: Attributes })[] = [];
  for (const shape of shapes) {
    if (shape.tag !== 'path') {
      out.push(shape);
      continue;
    }
    const look = lookOf(shape.attributes);
    const found = byLook.get(look);
    if (found) found.d += shape.attributes.d;
    else {
      const { d, ...attributes } = shape.attributes;
      const first = { d: String(d), attributes };
      byLook.set(look, first);
      out.push(first);
    }
  }
  return out.map((each) => ('d' in each ? path(each.d, each.attributes) : each));
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
    if (Number.isFinite(xs[i]) && Number.isFinite(ys[i]))
      d += `${run++ === 0 ? 'M' : 'L'}${hundredths(xs[i])},${hundredths(ys[i])}`;
    else end();
  }
  end();
  return d;
}

// ---- text styles, as attributes so that a file carries them ------------------------------------------------------

/**
 * Sizes of drawn text, in pixels of the drawing: a sixteenth of the root's font size each, as all that is drawn (base.css). Nothing is
 * smaller than a label.
 */
export const TEXT = { label: 12, name: 13, title: 18 } as const;

/** Of what is raised, beside text of this size. */
export const raisedSize = (size: number): number => Math.max(0.75 * size, TEXT.label);

/** By how many pixels it stands higher than text of this size, to which what follows comes down again. */
export const raisedBy = (size: number): number => hundredths(0.26 * size);

/** Pixels that a letter of a label takes: on average in a sentence and in a name, and any digit. For what cannot be measured before it is drawn. */
export const LETTER_PX = { sentence: 0.51 * TEXT.label, name: 0.58 * TEXT.label, digit: 0.6 * TEXT.label } as const;

export const TICK: Attributes = { 'font-size': TEXT.label, fill: 'var(--ink-2)' };
export const AXIS: Attributes = { 'font-size': TEXT.label, fill: 'var(--ink-2)' };
export const NOTE: Attributes = { 'font-size': TEXT.label, fill: 'var(--ink-3)' };
export const LIVE: Attributes = { 'font-size': TEXT.label, 'font-weight': 600, fill: 'var(--crosshair-ink)' };
export const HALO: Attributes = {
  stroke: 'var(--ground)',
  'stroke-width': 4,
  'paint-order': 'stroke',
  'stroke-linejoin': 'round',
};
export const MIDDLE: Attributes = { 'text-anchor': 'middle' };
/** The value of a contour, on the line. */
export const CONTOUR: Attributes = {
  ...MIDDLE,
  dy: '0.35em',
  'font-size': TEXT.label,
  'font-weight': 500,
  'stroke-width': 5,
  'paint-order': 'stroke',
  'stroke-linejoin': 'round',
};
export const END: Attributes = { 'text-anchor': 'end' };

export type Kind = 'published' | 'measured' | 'emulated' | 'simulated';

/** The outline that says what kind a datum is, centred, about `radius` in half-width: many of them can share one path. */
export function markPath(kind: Kind, x: number, y: number, radius: number): string {
  if (kind === 'published')
    return `M${hundredths(x - radius)} ${hundredths(y - radius)}h${hundredths(2 * radius)}v${hundredths(2 * radius)}h${hundredths(-2 * radius)}Z`;
  if (kind === 'measured') {
    const q = hundredths(radius * 1.12);
    return `M${hundredths(x - q)} ${hundredths(y)}a${q} ${q} 0 1 0 ${2 * q} 0a${q} ${q} 0 1 0 ${-2 * q} 0Z`;
  }
  const q = radius * (kind === 'emulated' ? 1.35 : 1.3);
  return kind === 'emulated'
    ? `M${hundredths(x)} ${hundredths(y - q)}L${hundredths(x + q)} ${hundredths(y)}L${hundredths(x)} ${hundredths(y + q)}L${hundredths(x - q)} ${hundredths(y)}Z`
    : `M${hundredths(x)} ${hundredths(y - q)}L${hundredths(x + q)} ${hundredths(y + q * 0.8)}L${hundredths(x - q)} ${hundredths(y + q * 0.8)}Z`;
}

export const mark = (kind: Kind, x: number, y: number, radius: number, attributes: Attributes): Shape =>
  path(markPath(kind, x, y, radius), attributes);
