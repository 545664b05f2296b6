// SPDX-License-Identifier: Apache-2.0

import type { Fit } from '../../../api/types';
import { Mathematics } from '../../../components/Mathematics';
import { decimal } from '../../../plots/number';
import type { Slider } from '../../../state/fit';

/** The costs without those of counting, as far as the runs say these, their probes' own code alone: upper bounds. */
export function WithoutProbes({ fit, sliders }: { fit: Fit; sliders: readonly Slider[] }) {
  const found = sliders.flatMap((slider) => {
    const value = fit.without_probes?.[slider.name]?.value ?? null;
    return value === null ? [] : [{ ...slider, value }];
  });
  if (found.length === 0) return null;
  return (
    <p className="note">
      Without the least that counting cost (all of it was three to four times that in benchmarks):
      {found.map(({ name, symbolMath, value, digits }, at) => (
        <span key={name}>
          {at > 0 ? ', ' : ' '}
          <Mathematics className="sym" html={symbolMath} /> at most {decimal(value, digits)}
        </span>
      ))}
    </p>
  );
}
