// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { QuantityName } from './QuantityName';

/** The heading of a part of a page; `of` is the quantity that it stands for. */
export function SectionTitle({ of, children }: { of?: string; children: ReactNode }) {
  return <h2 className="sec">{of === undefined ? children : <QuantityName name={of}>{children}</QuantityName>}</h2>;
}

/** A part of a page under a heading that names it. `id`: how an address leads to it; `beside`: what stands in the heading's line. */
export function Section(props: {
  title: string;
  children: ReactNode;
  of?: string;
  id?: string;
  className?: string;
  beside?: ReactNode;
}) {
  const { title, children, of, id, className, beside } = props;
  return (
    <section id={id} aria-label={title} className={className}>
      {beside === undefined ? (
        <SectionTitle {...(of !== undefined && { of })}>{title}</SectionTitle>
      ) : (
        <div className="sec">
          <h2>{title}</h2>
          {beside}
        </div>
      )}
      {children}
    </section>
  );
}
