// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import './ScrollRegion.css';

/** What may be wider than the page, as tables are, and scrolls sideways; a `tall` one is cut in its height too. */
export function ScrollRegion({ label, tall, children }: { label: string; tall?: boolean; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className={tall ? 'scroll tall' : 'scroll'} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
