// SPDX-License-Identifier: Apache-2.0
import { createContext, type ReactNode, useContext } from 'react';
import './QuantityName.css';

/** Whether this page has definitions and a tour: a view in a frame and a page that is one file have neither. */
export const TooltipsEnabled = createContext(false);

/** A quantity's name that opens its definition. Where a press means something else already, its element carries `data-quantity` instead. */
export function QuantityName({ name, children }: { name: string; children: ReactNode }) {
  if (!useContext(TooltipsEnabled)) return <span>{children}</span>;
  return (
    <button type="button" className="quantity" data-quantity={name} aria-haspopup="dialog">
      {children}
    </button>
  );
}

/** Words that may be a quantity's name. */
export const Named = ({ name, children }: { name: string | null | undefined; children: ReactNode }) =>
  name ? <QuantityName name={name}>{children}</QuantityName> : children;
