// SPDX-License-Identifier: Apache-2.0
// Paper is laid out when nothing can be measured any more: what is drawn as wide as its place on the screen has its size there from style sheets.

/** A size on paper in CSS pixels, which are those of a drawing there: `--paper-width` or `--paper-height`; null where none is set. */
export function sizeOnPaper(element: Element, name: '--paper-width' | '--paper-height'): number | null {
  const size = Number.parseFloat(getComputedStyle(element).getPropertyValue(name));
  return size > 0 ? size : null;
}

/** Calls back just before the page goes to paper, and when it is on the screen again. */
export function followPaper(onPaper: () => void, offPaper: () => void): () => void {
  addEventListener('beforeprint', onPaper);
  addEventListener('afterprint', offPaper);
  return () => {
    removeEventListener('beforeprint', onPaper);
    removeEventListener('afterprint', offPaper);
  };
}
