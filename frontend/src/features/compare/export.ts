// SPDX-License-Identifier: Apache-2.0
// A comparison as a file: what A, B and the others are stands in it, in the light theme.
import { lightTokens } from '../../layers/raster';
import { fileText, shapeText } from '../../plots/file';
import { AXIS, NOTE, type Shape, TEXT, text } from '../../plots/shapes';
import { currentAddress } from '../../state/address';

export const FILE_WIDTH = 960;
const MARGIN = 24;
const LINE = 16;

export interface Compared {
  readonly measure: string;
  readonly description: string;
  /** `A Virtual testbed, UDP, emulated` */
  readonly sides: readonly string[];
}

/** `drawn`: the panels, as wide as FILE_WIDTH. */
export function svgOf(drawn: { shapes: readonly Shape[]; height: number }, compared: Compared): string {
  const { measure, description, sides } = compared;
  const tokens = lightTokens();
  const top = 44 + LINE * sides.length + 8;
  const bottom = top + drawn.height + 20;
  const address = currentAddress();
  return fileText({
    width: FILE_WIDTH + 2 * MARGIN,
    height: bottom + LINE,
    title: measure,
    description: [description, ...sides, address].join('\n'),
    before: `<g transform="translate(${MARGIN} ${top})">${drawn.shapes.map((shape) => shapeText(shape, tokens)).join('\n')}</g>`,
    shapes: [
      text(MARGIN, 28, measure, { 'font-size': TEXT.title, 'font-weight': 600, fill: 'var(--ink)' }),
      ...sides.map((words, k) => text(MARGIN, 46 + LINE * k, words, AXIS)),
      text(MARGIN, bottom, address, NOTE),
    ],
    tokens,
  });
}
