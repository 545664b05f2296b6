// SPDX-License-Identifier: Apache-2.0
// The equations of a model, as MathML that was made when the page was built; fetched when a model is first looked at.

import { equations } from 'virtual:models';
import { useEffect, useState } from 'react';

/** By output: its own line, then those of what it refers to. */
type Equations = Readonly<Record<string, readonly string[]>>;

const fetched = new Map<string, Equations>();

/** Of a model that the page was built with; nothing comes for others. */
export async function fetchEquations(model: string): Promise<void> {
  const found = await equations[model]?.();
  if (found) fetched.set(model, found.default);
}

/** The equation of each output; null until it is there. */
export function useEquations(model: string): Equations | null {
  const [, setFetched] = useState(0);
  const here = fetched.get(model) ?? null;
  useEffect(() => {
    if (here) return;
    let wanted = true;
    void fetchEquations(model).then(() => wanted && setFetched((n) => n + 1));
    return () => {
      wanted = false;
    };
  }, [model, here]);
  return here;
}
