// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'react';
import { useCells, useExperiment } from '../../api/queries';
import type { ExperimentSubject } from '../../state/subject';

/** The other experiment of the difference map, while it loads, when it is there, and if it fails. */
export interface Other {
  readonly slug: string | null;
  readonly data: ExperimentSubject | null;
  readonly error: unknown;
  readonly again: () => void;
}

export function useOther(slug: string | null): Other {
  const experiment = useExperiment(slug ?? '');
  const cells = useCells(slug ?? '');
  const known = experiment.data;
  // while another one is on its way, the last one's cells are still here
  const filled = cells.isPlaceholderData ? undefined : cells.data?.cells;
  const data = useMemo<ExperimentSubject | null>(
    () => (slug && known && filled ? { of: 'experiment', experiment: known, cells: filled } : null),
    [slug, known, filled],
  );
  const again = () => {
    experiment.refetch();
    cells.refetch();
  };
  return { slug, data, error: slug ? (experiment.error ?? cells.error) : null, again };
}
