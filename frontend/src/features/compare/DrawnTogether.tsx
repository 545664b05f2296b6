// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import { FIGURES } from '../figures/definitions';
import { experimentsOf } from '../figures/inputs';

/** Published figures that draw all of these experiments: also those of quantities that are not the same, such as two CPU times. */
export function DrawnTogether({ slugs }: { slugs: readonly string[] }) {
  const figures = FIGURES.filter((figure) => {
    const own = experimentsOf(figure).map(({ experiment }) => experiment);
    return new Set(slugs).size > 1 && slugs.every((slug) => own.includes(slug));
  });
  if (figures.length === 0) return null;
  return (
    <section className="drawn" aria-label="Drawn together in published figures">
      <p>
        What they measured by different names, such as the CPU time of each, is not in this menu. Published figures draw
        it on one pair of axes:
      </p>
      <ul className="offers">
        {figures.map(({ id, title }) => (
          <li key={id}>
            <Link href={`/figures/${id}`}>{title}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
