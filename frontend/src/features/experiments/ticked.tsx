// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { Link } from 'wouter';
import type { ExperimentSummary } from '../../api/types';

const LETTERS = ['a', 'b', 'c', 'd'];

/** The experiments that are to be compared, in the order they were ticked; a fifth takes the first one's place. */
export function useTicked(all: readonly ExperimentSummary[]): [readonly string[], (slug: string) => void] {
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const there = ticked.filter((slug) => all.some((experiment) => experiment.slug === slug));
  const tick = (slug: string) =>
    setTicked(there.includes(slug) ? there.filter((each) => each !== slug) : [...there, slug].slice(-LETTERS.length));
  return [there, tick];
}

function compareHref(slugs: readonly string[]): string {
  return `/compare?${new URLSearchParams(slugs.map((slug, k) => [LETTERS[k], slug]))}`;
}

/** Appears with the first tick, and says what is missing. */
export function TickToCompare({ ticked }: { ticked: readonly string[] }) {
  if (ticked.length === 0) return null;
  return (
    <p className="compare-bar" role="status">
      {ticked.length === 1 ? (
        <>
          One experiment is ticked. Tick another, or <Link href={compareHref(ticked)}>compare levels within it</Link>.
        </>
      ) : (
        <Link className="action" href={compareHref(ticked)}>
          Compare {ticked.length} experiments
        </Link>
      )}
    </p>
  );
}
