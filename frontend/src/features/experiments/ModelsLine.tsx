// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import { useModels } from '../../api/queries';

/** Models can be explored with no data at all. */
export function ModelsLine() {
  const models = useModels();
  if (!models.data?.length) return null;
  return (
    <section className="models-line" aria-labelledby="models-line">
      <h2 className="cap" id="models-line">
        Models, without data
      </h2>
      <ul>
        {models.data.map(({ id, title }) => (
          <li key={id}>
            <Link href={`/models/${id}`}>{title}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
