// SPDX-License-Identifier: Apache-2.0
// The facets in a file: every level as a small panel, in rows above the large picture of the chosen one.
import { shapeText } from '../../../plots/file';
import { NOTE, rect, type Shape, text } from '../../../plots/shapes';
import type { View } from '../../../state/view';
import { cutShort } from '../figure/messages';
import { facetWords, lede, SMALL_HEIGHT, smallNeedle, smallShapes } from './small';

const LEAST = 140;
const GAP = 12;
/** Above the first row: what the panels are. */
const LEDE = 22;
/** A panel's own words, above it. */
const NAME = 16;
const ROW = NAME + SMALL_HEIGHT + GAP;

interface FacetSheet {
  /** Markup over `height` pixels from the top. */
  readonly markup: string;
  readonly height: number;
}

/** All panels over `width` pixels, with the crosshair in the chosen one; nothing where there is no facet. */
export function facetSheet(
  view: View,
  at: { x: number | null; y: number | null },
  width: number,
  tokens: Readonly<Record<string, string>>,
): FacetSheet {
  const { facets, layout } = view;
  if (!layout.facet || facets.length === 0) return { markup: '', height: 0 };
  const most = Math.max(1, Math.floor((width + GAP) / (LEAST + GAP)));
  const columns = Math.ceil(facets.length / Math.ceil(facets.length / most));
  const wide = (width - GAP * (columns - 1)) / columns;
  const markup = (shapes: readonly Shape[]): string => shapes.map((s) => shapeText(s, tokens)).join('\n');
  const panels = facets.map((facet, k) => {
    const [x, y] = [(k % columns) * (wide + GAP), LEDE + Math.floor(k / columns) * ROW];
    const stroke = facet.chosen ? 'var(--ink)' : 'var(--line-2)';
    const words = cutShort(facetWords(view, facet), Math.floor(wide / 6));
    const name = { ...NOTE, fill: 'var(--ink)', 'font-weight': facet.chosen ? 600 : 400 };
    const inside = [
      rect(0, 0, wide, SMALL_HEIGHT, { fill: 'var(--ground-2)' }),
      ...smallShapes(view, facet, wide),
      ...(facet.chosen ? smallNeedle(view, at, wide) : []),
    ];
    return [
      markup([text(x, y + 11, words, name)]),
      // what reaches beyond a panel is cut at its edge
      `<svg x="${x}" y="${y + NAME}" width="${wide}" height="${SMALL_HEIGHT}">\n${markup(inside)}\n</svg>`,
      markup([rect(x, y + NAME, wide, SMALL_HEIGHT, { fill: 'none', stroke })]),
    ].join('\n');
  });
  return {
    markup: [markup([text(0, 11, `${lede(layout.facet)} The framed one is drawn below.`, NOTE)]), ...panels].join('\n'),
    height: LEDE + Math.ceil(facets.length / columns) * ROW,
  };
}
