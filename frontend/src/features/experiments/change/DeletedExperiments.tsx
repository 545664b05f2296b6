// SPDX-License-Identifier: Apache-2.0
// What was deleted, below the table of what is there, with the way back.
import { useDeletedExperiments, useRestoreExperiment } from '../../../api/changing';
import { reasonOf } from '../../../api/errors';
import type { DeletedExperiment } from '../../../api/types';
import { deletedWords } from './messages';
import './change.css';

function Deleted({ experiment }: { experiment: DeletedExperiment }) {
  const { slug, title } = experiment;
  const send = useRestoreExperiment(slug);
  return (
    <li>
      <b>{title}</b>
      <span>{deletedWords(experiment)}</span>
      <button
        type="button"
        className="quiet"
        aria-label={`Restore ${title}`}
        disabled={send.isPending}
        onClick={() => send.mutate(undefined)}
      >
        Restore
      </button>
      {send.isError && (
        <p className="refused" role="alert">
          Not restored: {reasonOf(send.error)}
        </p>
      )}
    </li>
  );
}

/** Nothing where nothing was deleted. */
export function DeletedExperiments() {
  const { data = [] } = useDeletedExperiments();
  if (data.length === 0) return null;
  return (
    <details className="deleted">
      <summary>
        {data.length} deleted {data.length === 1 ? 'experiment' : 'experiments'}
      </summary>
      <ul>
        {data.map((experiment) => (
          <Deleted key={experiment.slug} experiment={experiment} />
        ))}
      </ul>
    </details>
  );
}
