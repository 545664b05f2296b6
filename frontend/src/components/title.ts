// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'react';

/** Names the window after the page. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Coalescope` : 'Coalescope';
  }, [title]);
}
