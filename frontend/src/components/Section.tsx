// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';

/** A part of a page under a heading that names it. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="sec">{title}</h2>
      {children}
    </section>
  );
}
