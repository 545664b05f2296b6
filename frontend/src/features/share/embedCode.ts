// SPDX-License-Identifier: Apache-2.0

export interface Embedded {
  readonly address: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

/** Least and most of either side, in pixels. */
export const SIDE_PX = [240, 4000] as const;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What somebody puts into a page of their own. */
export function embedCode({ address, title, width, height }: Embedded): string {
  return [
    `<iframe src="${escaped(address)}"`,
    `  title="${escaped(title)}"`,
    `  width="${width}" height="${height}" loading="lazy" style="border: 0; max-width: 100%"></iframe>`,
  ].join('\n');
}
