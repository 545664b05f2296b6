// SPDX-License-Identifier: Apache-2.0

import type { Fit } from '../../../api/types';
import { Mathematics } from '../../../components/Mathematics';
import { decimal } from '../../../plots/number';
import type { Slider } from '../../../state/fit';

/** What the costs would be without those of counting, where the runs say what counting cost. */
export function WithoutProbes({ fit, sliders }: { fit: Fit; sliders: readonly Slider[] }) {
  const found = sliders.flatMap((slider) => {
    const value = fit.without_probes?.[slider.name]?.value ?? null;
    return value === null ? [] : [{ ...slider, value }];
  });
  if (found.length === 0) return null;
  return (
    <p className="note">
      Without the cost of counting itself:
      {found.map(({ name, symbolMath, value, digits }, at) => (
        <span key={name}>
          {at > 0 ? ', ' : ' '}
          <Mathematics className="sym" html={symbolMath} /> {decimal(value, digits)}
        </span>
      ))}
    </p>
  );
}
