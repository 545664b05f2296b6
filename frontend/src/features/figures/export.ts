// SPDX-License-Identifier: Apache-2.0
// A figure as a file: title, kinds, sources and link inside it, in the light theme.
import { catalogue } from '../../engine/catalogue';
import { lightTokens } from '../../layers/raster';
import { surfaceImage } from '../../layers/surface';
import { fileText, shapeText, wrapped } from '../../plots/file';
import { AXIS, LETTER_PX, line, mark, NOTE, type Shape, TEXT, text } from '../../plots/shapes';
import { addressOf } from '../../state/address';
import type { Document, Figure, HeatPanel, MarkKind, Panel, TablePanel } from './definition';
import { drawnWords } from './drawn';
import type { CellsBySlug } from './evaluate';
import { GRID, heatFrame, surfaceOf } from './render/heat';
import { painter } from './render/painter';

const MARGIN = 24;
const WIDTH = 800;
const HEIGHT = 400;
const HEAD = 96;
const LINE = 16;
const TITLE = 24;

type Drawable = Exclude<Panel, TablePanel>;

export const drawable = (figure: Figure): Drawable[] => figure.panels.filter((p): p is Drawable => p.form !== 'table');

function surfaceMarkup(panel: HeatPanel): string {
  const { left, right, top, bottom } = heatFrame(panel, { width: WIDTH, height: HEIGHT, small: false });
  const z = surfaceOf(panel, catalogue);
  const image = surfaceImage({ z, nx: GRID, ny: GRID, values: panel.value.domain, log: true });
  return image
    ? `<image x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" preserveAspectRatio="none" href="${image}"/>`
    : '';
}

/** Which shapes stand for what. */
function keyShapes(figure: Figure, kinds: readonly MarkKind[], x: number, y: number): Shape[] {
  const words = { ...AXIS, 'font-weight': 500 };
  let at = x;
  return kinds.flatMap((kind) => {
    const glyph =
      kind === 'model'
        ? line(at, y - 4, at + 14, y - 4, { stroke: 'var(--ink-2)', 'stroke-width': 1.5 })
        : mark(kind, at + 7, y - 4, 4, {
            fill: `var(--kind-${kind})`,
            stroke: `var(--kind-${kind})`,
            'stroke-width': 1.25,
          });
    const of = drawnWords(figure, kind, catalogue);
    const named = of ? `${kind}: ${of}` : kind;
    const said = text(at + 20, y, named, words);
    at += 20 + named.length * LETTER_PX.name + 20;
    return [glyph, said];
  });
}

export async function svgOf(
  figure: Figure,
  document: Document,
  kinds: readonly MarkKind[],
  data: CellsBySlug,
): Promise<string> {
  const tokens = lightTokens();
  let top = HEAD;
  const panels = drawable(figure).map((panel) => {
    const title = panel.title
      ? shapeText(text(0, 14, panel.title, { 'font-size': TEXT.name, 'font-weight': 600, fill: 'var(--ink)' }), tokens)
      : '';
    const shapes = painter(panel, data)({ width: WIDTH, height: HEIGHT, small: false });
    const head = panel.title ? TITLE : 0;
    const markup = `<g transform="translate(${MARGIN} ${top})">${title}<g transform="translate(0 ${head})">${panel.form === 'heat' ? surfaceMarkup(panel) : ''}${shapes.map((s) => shapeText(s, tokens)).join('\n')}</g></g>`;
    top += head + HEIGHT + 20;
    return markup;
  });
  const address = addressOf(`/figures/${figure.id}`);
  const room = Math.floor(WIDTH / LETTER_PX.sentence);
  const notes = [...wrapped(figure.verdict, room), ...wrapped(figure.missing, room), document.citation, address];
  const height = top + notes.length * LINE + MARGIN;
  const source = `${document.short}, ${figure.label.toLowerCase()}`;
  return fileText({
    width: WIDTH + 2 * MARGIN,
    height,
    title: `${figure.title}. ${source}`,
    description: [figure.verdict, figure.missing, document.citation, address].join('\n'),
    before: panels.join('\n'),
    shapes: [
      text(MARGIN, 30, figure.title, { 'font-size': TEXT.title, 'font-weight': 600, fill: 'var(--ink)' }),
      text(MARGIN, 50, source, AXIS),
      ...keyShapes(figure, kinds, MARGIN, 74),
      ...notes.map((words, i) => text(MARGIN, top + 8 + i * LINE, words, { ...NOTE, fill: 'var(--ink-2)' })),
    ],
    tokens,
  });
}
