// SPDX-License-Identifier: Apache-2.0
import { useRef } from 'react';
import { draw } from '../../../layers/svg';
import { makeScale } from '../../../plots/scale';
import { type Attributes, gathered, line, MIDDLE, type Shape, TICK, text, tick } from '../../../plots/shapes';
import type { Axis } from '../../../state/layout';
import { useExplorer, useFrame, useSized } from '../context';
import { cutShort, settingText, settingWords, shortName } from '../figure/messages';

/** The settings of the axis across as a little ruler, with the crosshair on it. */
export function RangeRuler({ axis }: { axis: Axis }) {
  const svg = useSized<SVGSVGElement>();
  const shown = useRef('');
  const { view } = useExplorer();
  useFrame((live) => {
    const host = svg.element.current;
    const width = svg.width.current;
    if (!host || width === 0) return;
    const at = view.layout.across === 'x' || axis === view.layout.x ? live.state.x : live.state.y;
    const key = `${axis.name} ${axis.levels.length} ${at} ${width}`;
    if (key === shown.current) return;
    shown.current = key;
    const { levels } = axis;
    const [lo, hi] = [levels[0], levels[levels.length - 1]];
    const x = makeScale(levels, axis.spacing, [lo, hi], [5, width - 5]);
    const shapes: Shape[] = [line(x(lo), 9, x(hi), 9, { stroke: 'var(--line-3)' })];
    const marks = (at: readonly number[], ink: Attributes) => gathered(at.map((v) => tick(x(v), 6, x(v), 12, ink)));
    shapes.push(
      ...marks(
        levels.filter((v) => v !== lo && v !== hi),
        { stroke: 'var(--line-3)' },
      ),
      ...marks([lo, hi], { stroke: 'var(--ink)', 'stroke-width': 1.5 }),
    );
    if (at !== null && at >= lo && at <= hi)
      shapes.push(line(x(at), 3, x(at), 15, { stroke: 'var(--crosshair)', 'stroke-width': 1.5 }));
    const ends = [lo, hi].map((v) => cutShort(settingText(axis, v), 10));
    shapes.push(text(0, 26, ends[0], TICK), text(width, 26, ends[1], { 'text-anchor': 'end', ...TICK }));
    if (levels.length > 2 && width > 150)
      shapes.push(text((x(lo) + x(hi)) / 2, 26, `${levels.length} settings`, { ...MIDDLE, ...TICK }));
    draw(host, shapes);
  });
  const { levels } = axis;
  return (
    <svg
      ref={svg.attach}
      className="range"
      height={32}
      role="img"
      aria-label={`${shortName(axis)} from ${settingWords(axis, levels[0])} to ${settingWords(axis, levels[levels.length - 1])}, ${levels.length} settings`}
    />
  );
}
