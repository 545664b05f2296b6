// SPDX-License-Identifier: Apache-2.0

/** CSS pixels to a pixel of a drawing: `--drawn` of the tokens, by which base.css zooms all that is drawn. */
export function drawingScale(): number {
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--drawn'));
  return scale > 0 ? scale : 1;
}
