// SPDX-License-Identifier: Apache-2.0
// Where the CPU time goes along the delay, or along the MTU: through the crosshair, in the same three greys.
import { useRef, useState } from 'react';
import { Segmented } from '../../../components/Segmented';
import { decimal, digitsFor } from '../../../plots/number';
import type { Axis } from '../../../state/layout';
import { prepare } from '../../../state/prediction';
import { useExplorer, useSpareTime } from '../context';
import { shortName } from '../figure/messages';
import { ALONG_HEIGHT, type Along, alongOf, alongShapes, topAbove } from '../figure/splitAlong';
import { usePlot } from '../usePlot';

const several = (axis: Axis | null): axis is Axis => axis !== null && axis.levels.length > 1 && !axis.names;

export function SplitAlong() {
  const { view, store, redraw } = useExplorer();
  const { x, y, across } = view.layout;
  const [chosen, setChosen] = useState<'x' | 'y'>('x');
  const able = (['x', 'y'] as const).filter((name) => several(view.layout[name]));
  const name = able.includes(chosen) ? chosen : (able[0] ?? across);
  const axis = name === 'x' ? x : y;
  const plot = usePlot();
  const drawn = useRef<{ along: Along; width: number } | null>(null);
  const { frames } = store.get();
  const { binding } = view;
  const digits = digitsFor(view.values[1] - view.values[0]);

  useSpareTime(({ theta, place }, held) => {
    const host = plot.element.current;
    const width = plot.width.current;
    if (!host || !binding || !several(axis) || width === 0 || plot.hidden.current) return false;
    if (drawn.current?.along.axis !== axis || drawn.current.width !== width)
      drawn.current = { along: alongOf(axis, width), width };
    const { along } = drawn.current;
    const line =
      name === 'x'
        ? prepare(binding, along.samples, [place.y], frames)
        : prepare(binding, [place.x], along.samples, frames);
    const parts = binding.parts.map((part) => line.evaluate(part, theta));
    const highest = Math.max(...along.samples.map((_, i) => parts.reduce((sum, part) => sum + part[i], 0)));
    plot.show(alongShapes(along, parts, name === 'x' ? place.x : place.y, topAbove(highest), width), held);
    if (held) return true;
    const ends = [0, along.samples.length - 1].map(
      (i) => `${along.bounds[i === 0 ? 0 : 1]}: ${parts.map((part) => decimal(part[i], digits)).join(', ')}`,
    );
    host.setAttribute('aria-label', `Bytes, packets, interrupts along ${shortName(axis)} at ${ends.join('; at ')}`);
    return true;
  });

  if (!binding || binding.parts.length === 0 || able.length === 0 || !axis) return null;
  return (
    <div className="along">
      <div className="row">
        <span className="note">
          along {axis.name === 'mtu_bytes' ? 'MTU' : shortName(axis).toLowerCase()}, through the crosshair
        </span>
        {able.length > 1 && (
          <Segmented
            tiny
            label="Split along"
            value={name}
            segments={able.map((value) => {
              const axis = view.layout[value] as Axis;
              return { value, label: axis.name === 'mtu_bytes' ? 'MTU' : shortName(axis) };
            })}
            onChange={(next) => {
              setChosen(next);
              redraw();
            }}
          />
        )}
      </div>
      {plot.of({ className: 'plot wide', height: ALONG_HEIGHT, role: 'img', 'aria-label': 'Cost along the axis' })}
    </div>
  );
}
