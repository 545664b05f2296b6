// SPDX-License-Identifier: Apache-2.0

import { reasonOf } from '../../api/errors';
import type { useExperiments } from '../../api/queries';

/** What a menu of experiments says while it has none: it may be opened before they are here. */
export function Awaited({ experiments: { data, error } }: { experiments: ReturnType<typeof useExperiments> }) {
  if (data) return null;
  return (
    <p className={error ? 'made bad' : 'made'}>
      {error ? `Couldn’t load the experiments: ${reasonOf(error)}` : 'Loading experiments…'}
    </p>
  );
}
