// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import './QuantityName.css';

/** A quantity's name that opens its definition. Where a press means something else already, its element carries `data-quantity` instead. */
export function QuantityName({ name, children }: { name: string; children: ReactNode }) {
  return (
    <button type="button" className="quantity" data-quantity={name} aria-haspopup="dialog">
      {children}
    </button>
  );
}
