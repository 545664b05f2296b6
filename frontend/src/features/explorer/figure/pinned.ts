// SPDX-License-Identifier: Apache-2.0
// Pinned parameter sets under the current one: the same lines and contours, distinguished by dash and letter, never by colour.
import { contourLines } from '../../../plots/contours';
import { HALO, path, polyline, type Shape, TEXT, text } from '../../../plots/shapes';
import type { View } from '../../../state/view';
import type { Frame } from './frame';
import { stretch } from './lines';
import { GRID, type Sampler } from './live';

/** By place in the list. */
export const DASHES = ['9 4', '2.5 2.5', '9 3 2 3', '14 3 2 3 2 3'] as const;

export function pinnedLines(frame: Frame, sampler: Sampler): Shape[] {
  const { pxs, lineXs } = sampler;
  const last = lineXs.length - 1;
  return sampler.pinned.flatMap(({ letter, curves }, i) =>
    curves.flatMap(({ series, values }): Shape[] => {
      const d = stretch(frame, pxs, values, 0, last);
      if (d === '') return [];
      const k = Math.round(last * (0.97 - 0.05 * i));
      const y = frame.v(values[k]);
      const on = y > frame.lines.top && y < frame.lines.top + frame.lines.height;
      const style = { 'font-size': TEXT.label, 'font-weight': 600, 'text-anchor': 'middle', fill: series.ink, ...HALO };
      return [
        path(d, { stroke: series.ink, 'stroke-width': 1.25, 'stroke-dasharray': DASHES[i] }),
        ...(on ? [text(pxs[k], y - 4, letter, style)] : []),
      ];
    }),
  );
}

export function pinnedContours(view: View, frame: Frame, sampler: Sampler): Shape[] {
  const { heat, left, plotWidth } = frame;
  if (!heat) return [];
  const x = (g: number): number => left + (g / (GRID - 1)) * plotWidth;
  const y = (g: number): number => heat.top + heat.height - (g / (GRID - 1)) * heat.height;
  return sampler.pinned.flatMap(({ letter, z }, i): Shape[] => {
    if (!z) return [];
    const lines = view.contours.flatMap((level) => contourLines(z, GRID, GRID, level));
    const d = lines
      .map((points) =>
        polyline(
          points.map((p) => x(p[0])),
          points.map((p) => y(p[1])),
        ),
      )
      .join('');
    if (d === '') return [];
    const longest = lines.reduce((a, b) => (b.length > a.length ? b : a));
    const [gx, gy] = longest[Math.floor(longest.length * (0.3 + 0.12 * i))];
    return [
      path(d, {
        stroke: 'var(--on-bright)',
        'stroke-opacity': 0.4,
        'stroke-width': 2.5,
        'stroke-dasharray': DASHES[i],
      }),
      path(d, { stroke: 'var(--on-dark)', 'stroke-opacity': 0.85, 'stroke-width': 1, 'stroke-dasharray': DASHES[i] }),
      text(x(gx), y(gy) - 4, letter, {
        'font-size': TEXT.label,
        'font-weight': 600,
        'text-anchor': 'middle',
        fill: 'var(--on-dark)',
        stroke: 'var(--on-bright)',
        'stroke-width': 3,
        'paint-order': 'stroke',
      }),
    ];
  });
}
