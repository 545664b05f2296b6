// SPDX-License-Identifier: Apache-2.0

/** Pixels of a drawing that the window has at least: there, larger text leaves drawings as they are. */
const LEAST_ROOM_PX = 320;

/** Whether the browser takes the zoom that base.css gives to all that is drawn; without it, drawings keep their size. */
const zooms = (): boolean => globalThis.CSS?.supports?.('zoom', 'calc(1rem / 16px)') ?? false;

/** CSS pixels to a pixel of a drawing, as base.css has it: 1 unless the reader's text size is another than 16 px. */
export function drawingScale(): number {
  const root_px = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  if (!(root_px > 0) || !zooms()) return 1;
  return Math.min(root_px / 16, Math.max(1, innerWidth / LEAST_ROOM_PX));
}
