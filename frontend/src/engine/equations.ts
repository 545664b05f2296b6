// SPDX-License-Identifier: Apache-2.0
// The equations of a model, as MathML that was made when the page was built; fetched when a model is first looked at.

import { equations } from 'virtual:models';
import { useEffect, useState } from 'react';

/** By output: its own line, then those of what it refers to. */
type Equations = Readonly<Record<string, readonly string[]>>;

const fetched = new Map<string, Equations>();

/** The equation of each output; null until it is there. */
export function useEquations(model: string): Equations | null {
  const [known, setKnown] = useState<{ model: string; equations: Equations } | null>(null);
  useEffect(() => {
    let wanted = true;
    void equations[model]?.().then((found) => {
      fetched.set(model, found.default);
      if (wanted) setKnown({ model, equations: found.default });
    });
    return () => {
      wanted = false;
    };
  }, [model]);
  return known?.model === model ? known.equations : (fetched.get(model) ?? null);
}
