// SPDX-License-Identifier: Apache-2.0
// The cells that figures read, from the server; models need none of it.
import { useMemo } from 'react';
import { currentCopy, mayComeYet } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useDatasetStates } from '../../api/growing';
import { useCellsOf, useExperiments } from '../../api/queries';
import type { CellsBySlug } from './evaluate';

export interface FigureData {
  readonly cells: CellsBySlug;
  readonly loading: boolean;
  /** Data sets that the server is still reading itself; they are asked for when it is done. */
  readonly waiting: readonly string[];
  /** Data sets that did not come, and why. */
  readonly failed: readonly { readonly slug: string; readonly reason: string }[];
  /** null: asking again cannot help. */
  readonly again: (() => void) | null;
}

/** Asks for what the server says that it has: a data set that it has not, or not yet, is no error. */
export function useFigureData(slugs: readonly string[]): FigureData {
  const listed = useExperiments();
  const reading = useDatasetStates().flatMap((d) => (d.state === 'loading' ? [d.slug] : []));
  const there = listed.data ? slugs.filter((slug) => listed.data.some((e) => e.slug === slug)) : [];
  const answers = useCellsOf(there);
  const arrived = answers.map((a) => a.data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers themselves are what it depends on
  const cells = useMemo(
    () => Object.fromEntries(there.map((slug, i) => [slug, arrived[i]?.cells])),
    [...arrived, there.join()],
  );
  const waiting = slugs.filter((slug) => reading.includes(slug) && cells[slug] === undefined);
  const absent = listed.data ? slugs.filter((slug) => !there.includes(slug) && !waiting.includes(slug)) : [];
  const refused = answers.flatMap((a, i) => (a.error ? [{ slug: there[i], reason: reasonOf(a.error) }] : []));
  const faults = [listed.error, ...answers.map((a) => a.error)].filter((error) => error !== null);
  const mayHelp = (absent.length > 0 && currentCopy() === null) || faults.some(mayComeYet);
  const again = () => {
    listed.refetch();
    for (const answer of answers) if (answer.error) answer.refetch();
  };
  return {
    cells,
    loading: listed.isPending || answers.some((a) => a.isPending),
    waiting,
    failed: [
      ...(listed.error ? [{ slug: 'experiments', reason: reasonOf(listed.error) }] : []),
      ...absent.map((slug) => ({ slug, reason: `this ${currentCopy() ? 'copy' : 'server'} does not have it.` })),
      ...refused,
    ],
    again: mayHelp ? again : null,
  };
}
