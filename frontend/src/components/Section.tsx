// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { QuantityName } from './QuantityName';

/** A part of a page under a heading that names it: `of` is the quantity that the heading stands for. */
export function Section(props: { title: string; children: ReactNode; of?: string; className?: string }) {
  const { title, children, of, className } = props;
  return (
    <section aria-label={title} className={className}>
      <h2 className="sec">{of === undefined ? title : <QuantityName name={of}>{title}</QuantityName>}</h2>
      {children}
    </section>
  );
}
