// SPDX-License-Identifier: Apache-2.0
// Shapes onto a canvas: the same picture as svg.ts makes, without an element for each. For what moves in every frame.
import { type Attributes, raisedBy, raisedSize, type Shape, type Span } from '../plots/shapes';
import { type Pen as LinePen, simplified } from '../plots/simplified';
import { drawingScale } from './scale';

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** How an element of the page writes and colours. It holds until the theme changes. */
interface Pen {
  readonly family: string;
  /** Tokens to values. */
  ink(value: string): string;
  /** The font that each context has: to ask it takes as long as to write. */
  readonly fonts: Map<Context, string>;
}

function penOf(element: Element): Pen {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return {
    family: style.fontFamily,
    fonts: new Map(),
    ink(value) {
      let plain = known.get(value);
      if (plain === undefined) {
        plain = value.replace(/var\((--[a-z0-9-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
        known.set(value, plain);
      }
      return plain;
    },
  };
}

/** As in SVG. */
const UNSAID_FILL = 'black';

const PLACE = /translate\(([-\d.]+) ([-\d.]+)\)(?: rotate\(([-\d.]+)\))?/;

function number(value: string | number | undefined, otherwise = 0): number {
  if (typeof value === 'number') return value;
  return value === undefined ? otherwise : Number.parseFloat(value);
}

/** "0.34em" or pixels. */
const length = (value: string | number | undefined, size: number): number =>
  typeof value === 'string' && value.endsWith('em') ? number(value) * size : number(value);

const visible = (paint: string | number | undefined): paint is string => typeof paint === 'string' && paint !== 'none';

function outline({ tag, attributes: a }: Shape): Path2D {
  const out = new Path2D(tag === 'path' ? String(a.d) : tag === 'polygon' ? `M${a.points}z` : undefined);
  if (tag === 'line') {
    out.moveTo(number(a.x1), number(a.y1));
    out.lineTo(number(a.x2), number(a.y2));
  }
  if (tag === 'circle') out.arc(number(a.cx), number(a.cy), number(a.r), 0, 2 * Math.PI);
  if (tag === 'rect') out.roundRect(number(a.x), number(a.y), number(a.width), number(a.height), number(a.rx));
  return out;
}

function setStroke(context: Context, a: Attributes, pen: Pen): void {
  context.strokeStyle = pen.ink(String(a.stroke));
  context.lineWidth = number(a['stroke-width'], 1);
  context.globalAlpha = number(a['stroke-opacity'], 1);
  context.miterLimit = 4;
  context.lineJoin = (a['stroke-linejoin'] as CanvasLineJoin | undefined) ?? 'miter';
  context.setLineDash(a['stroke-dasharray'] ? String(a['stroke-dasharray']).split(' ').map(Number) : []);
}

function paintOutline(context: Context, shape: Shape, pen: Pen): void {
  const { attributes: a } = shape;
  const path = outline(shape);
  if (a.fill !== 'none' && shape.tag !== 'line') {
    context.fillStyle = pen.ink(String(a.fill ?? UNSAID_FILL));
    context.fill(path, a['fill-rule'] === 'evenodd' ? 'evenodd' : 'nonzero');
  }
  if (!visible(a.stroke)) return;
  setStroke(context, a, pen);
  context.stroke(path);
  context.globalAlpha = 1;
}

const ALIGNED: Readonly<Record<string, CanvasTextAlign>> = { start: 'left', middle: 'center', end: 'right' };

function setFont(context: Context, a: Attributes, { family, fonts }: Pen): void {
  const font = `${a['font-weight'] ?? 400} ${a['font-size'] ?? 16}px ${family}`;
  if (fonts.get(context) === font) return;
  context.font = font;
  fonts.set(context, font);
}

function write(context: Context, words: string, x: number, y: number, a: Attributes, pen: Pen): void {
  setFont(context, a, pen);
  if (visible(a.stroke)) {
    setStroke(context, a, pen);
    context.strokeText(words, x, y);
  }
  context.fillStyle = pen.ink(String(a.fill ?? UNSAID_FILL));
  context.fillText(words, x, y);
}

/** Spans one after the other from where the text begins; a raised one is smaller and higher. */
function writeSpans(context: Context, spans: readonly Span[], whole: Attributes, down: number, pen: Pen): void {
  const size = number(whole['font-size'], 16);
  let at = 0;
  for (const { text, up, attributes } of spans) {
    const a = { ...whole, ...(up ? { 'font-size': raisedSize(size) } : {}), ...attributes };
    at += number(attributes?.dx);
    write(context, text, at, down - (up ? raisedBy(size) : 0), a, pen);
    at += context.measureText(text).width;
  }
}

function paintText(context: Context, { attributes: a, text, spans }: Shape, pen: Pen): void {
  const [, x, y, degrees] = PLACE.exec(String(a.transform ?? '')) ?? [];
  // at whole pixels: each other place is one more set of letters that is made from outlines
  const [left, top] = [Math.round(number(x ?? a.x)), Math.round(number(y ?? a.y))];
  const angle = (number(degrees) * Math.PI) / 180;
  context.translate(left, top);
  context.rotate(angle);
  const down = length(a.dy, number(a['font-size'], 16));
  context.textAlign = spans ? 'left' : ALIGNED[String(a['text-anchor'] ?? 'start')];
  if (spans) writeSpans(context, spans, a, down, pen);
  else write(context, text ?? '', 0, down, a, pen);
  context.rotate(-angle);
  context.translate(-left, -top);
}

/** In this order, over what is there. */
function paint(context: Context, shapes: readonly Shape[], pen: Pen): void {
  for (const shape of shapes) {
    if (shape.tag === 'text') paintText(context, shape, pen);
    else paintOutline(context, shape, pen);
  }
}

export interface Room {
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Painted aside, and put on the screen whole: what a frame shows of it was made before that frame began. */
export interface Sheet {
  /** What was painted since the last time, in the place of what stood there. */
  show(): void;
  paint(shapes: readonly Shape[]): void;
  /** A line that is drawn straight from its numbers, from left to right. */
  stroke(attributes: Attributes, along: (pen: LinePen) => void): void;
  /** Shapes that stay the same, painted once; returns what puts them here. */
  keep(shapes: readonly Shape[]): () => void;
}

/**
 * A canvas over a part of a drawing, in the drawing's own pixels; null where a browser gives none. It holds until one that it paints on has a new
 * size, or the theme changes.
 */
export function sheetOn(canvas: HTMLCanvasElement, room: Room): Sheet | null {
  const aside = unseen();
  const context = opened(aside, room);
  const show = context && shownOn(canvas, aside, context);
  if (!show) return null;
  const pen = penOf(canvas);
  const line = simplified(context);
  const { top, width, height } = room;
  Object.assign(canvas.style, { top: `${top}px`, width: `${width}px`, height: `${height}px` });
  return {
    show,
    paint: (shapes) => paint(context, shapes, pen),
    stroke(attributes, along) {
      setStroke(context, attributes, pen);
      context.beginPath();
      along(line);
      line.end();
      context.stroke();
      context.globalAlpha = 1;
    },
    keep(shapes) {
      const still = unseen();
      const own = opened(still, room);
      if (own) paint(own, shapes, pen);
      return () => context.drawImage(still, 0, top, width, height);
    },
  };
}

type Unseen = HTMLCanvasElement | OffscreenCanvas;

const unseen = (): Unseen =>
  'OffscreenCanvas' in globalThis ? new OffscreenCanvas(0, 0) : document.createElement('canvas');

/** What puts all that was painted aside onto the screen, and leaves the other one empty. */
function shownOn(canvas: HTMLCanvasElement, aside: Unseen, painted: Context): (() => void) | null {
  if ('transferToImageBitmap' in aside) {
    const screen = canvas.getContext('bitmaprenderer');
    return screen && (() => screen.transferFromImageBitmap(aside.transferToImageBitmap()));
  }
  const screen = canvas.getContext('2d');
  if (!screen) return null;
  return () => {
    // a new size empties it
    canvas.width = aside.width;
    canvas.height = aside.height;
    screen.drawImage(aside, 0, 0);
    painted.save();
    painted.resetTransform();
    painted.clearRect(0, 0, aside.width, aside.height);
    painted.restore();
  };
}

function opened(canvas: Unseen, { top, width, height }: Room): Context | null {
  const ratio = (devicePixelRatio || 1) * drawingScale();
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d') as Context | null;
  context?.setTransform(ratio, 0, 0, ratio, 0, -top * ratio);
  return context;
}
