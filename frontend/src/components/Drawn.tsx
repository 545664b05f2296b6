// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect } from 'react';

/** Calls `over` when what it holds is drawn and has begun all that it waits for: effects of what is within run first. */
export function Drawn({ over, children }: { over: () => void; children: ReactNode }) {
  useEffect(over, [over]);
  return children;
}
