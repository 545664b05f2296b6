// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect } from 'react';

/** Calls `over` when its children are drawn and have begun all that they wait for: their effects run first. */
export function OnMounted({ over, children }: { over: () => void; children: ReactNode }) {
  useEffect(over, [over]);
  return children;
}
