// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'react';
import { Drawing, useWidth } from '../../layers/Drawing';
import type { BundledModel } from '../../state/models';
import { linesShapes } from '../figures/render/lines';
import { curveOf } from './curve';

const HEIGHT = 190;

/** A small picture of what a model predicts. */
export function Curve({ model }: { model: BundledModel }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const curve = useMemo(() => curveOf(model), [model]);
  const shapes = useMemo(
    () => (curve && width > 0 ? linesShapes(curve.panel, curve.resolved, { width, height: HEIGHT, small: false }) : []),
    [curve, width],
  );
  if (!curve) return null;
  const { x, y } = curve.panel;
  return (
    <div ref={place} className="curve">
      <Drawing label={`${y.label}, over ${x.label}`} width={width} height={HEIGHT} shapes={shapes} />
    </div>
  );
}
