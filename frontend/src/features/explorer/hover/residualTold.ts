// SPDX-License-Identifier: Apache-2.0
// What a stem of the residuals says where the pointer rests on it.
import type { View } from '../../../state/view';
import { type Comparison, LEAST_SLOT, placesAcross, residualWords } from '../figure/residuals';
import { wordsOf } from './markWords';

type Theta = Readonly<Record<string, number>>;

/** The cell's words and its residual; empty where no stem stands by itself. `across`: pixels of the strip, which is `width` wide. */
export function residualTold(view: View, comparison: Comparison, theta: Theta, across: number, width: number): string {
  for (const { places, from, slot } of placesAcross(comparison, width)) {
    const k = Math.floor((across - from) / slot);
    if (slot < LEAST_SLOT || k < 0 || k >= places.length) continue;
    const point = comparison.points[places[k]];
    const difference = residualWords(view, point, comparison.predictions(theta)[places[k]], { percent: 2, value: 2 });
    return `${wordsOf(view, point)}; cell − model ${difference}`;
  }
  return '';
}

/** Gives the strip below the pointer these words as its title, which the browser shows. */
export function tell({ target, offsetX }: PointerEvent, view: View, comparison: Comparison, theta: Theta): void {
  const svg = target instanceof SVGElement && (target.ownerSVGElement ?? target);
  if (!svg) return;
  svg.parentElement?.setAttribute('title', residualTold(view, comparison, theta, offsetX, svg.clientWidth));
}
