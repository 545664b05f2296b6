// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import type { ExperimentSummary } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { Section } from '../../components/Section';
import { toAddress } from './address';
import { offersOf } from './offers';

const addressOf = (a: string, b: string): string =>
  `/compare?${toAddress({
    sides: [
      { slug: a, where: {} },
      { slug: b, where: {} },
    ],
    runs: [],
    measure: null,
  })}`;

/** What an empty comparison offers: pairs of experiments that have something in common. */
export function Offers({ experiments }: { experiments: readonly ExperimentSummary[] }) {
  const offers = offersOf(experiments);
  if (offers.length === 0)
    return (
      <p className="said">
        No two experiments here varied the same factor and measured the same. One can be compared with itself, held to
        two of its levels: add it twice.
      </p>
    );
  return (
    <Section title="What can be compared">
      <p>Experiments that varied the same and measured the same; any others can be added above.</p>
      <ul className="offers">
        {offers.map(({ a, b, factors, measures, all }) => (
          <li key={`${a.slug} ${b.slug}`}>
            <Link href={addressOf(a.slug, b.slug)}>
              {a.title} beside {b.title}
            </Link>{' '}
            <span className="note">
              {all ? '' : 'at least '}
              {measures} {measures === 1 ? 'measure' : 'measures'} over {factors.map(inSentence).join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
