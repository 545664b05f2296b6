// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import type { Rejected } from '../state/reader';
import { Notice } from './Notice';

/** What of an address could not be used, until the reader has seen it. */
export function RejectedNotice({ rejected }: { rejected: readonly Rejected[] }) {
  const [seen, setSeen] = useState(false);
  if (seen || rejected.length === 0) return null;
  return (
    <div className="rejected">
      <Notice
        tone="plain"
        title={
          rejected.length === 1
            ? 'One parameter of this address was left out'
            : `${rejected.length} parameters of this address were left out`
        }
        action={{ label: 'Dismiss', onClick: () => setSeen(true) }}
      >
        {rejected.map(({ name, value, reason }) => `${name}=${value} ${reason}`).join('; ')}. Everything else is as the
        address says.
      </Notice>
    </div>
  );
}
