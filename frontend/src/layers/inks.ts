// SPDX-License-Identifier: Apache-2.0
import type { SurfaceInk } from '../plots/tide';

/** The inks of a surface as a canvas takes them; they are the same in both themes. */
export function inksOf(canvas: HTMLCanvasElement): Record<SurfaceInk, string> {
  const style = getComputedStyle(canvas);
  return {
    'var(--on-dark)': style.getPropertyValue('--on-dark').trim(),
    'var(--on-bright)': style.getPropertyValue('--on-bright').trim(),
  };
}
