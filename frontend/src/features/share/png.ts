// SPDX-License-Identifier: Apache-2.0
import { embeddedTypeface } from '../../engine/typeface';
import { rasterised } from '../../layers/raster';

/** A drawing's file as a picture of twice the screen's pixels, in the page's typeface. */
export async function pngOf(svg: string): Promise<Blob> {
  const css = await embeddedTypeface();
  return rasterised(svg.replace('</title>', `</title><style>${css}</style>`), 2);
}
