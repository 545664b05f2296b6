// SPDX-License-Identifier: Apache-2.0
// The page at the address of an experiment that is not there: there was none, it was deleted, or the server is loading it.
import { Link } from 'wouter';
import { useRestoreExperiment } from '../../../api/changing';
import { currentCopy } from '../../../api/copy';
import { isDeleted, reasonOf } from '../../../api/errors';
import { useDatasetStates } from '../../../api/growing';
import { Unknown } from '../../../components/Unknown';

function Deleted({ slug, message }: { slug: string; message: string }) {
  const send = useRestoreExperiment(slug);
  return (
    <div className="page">
      <header className="lede">
        <h1>A deleted experiment</h1>
        <p>
          {message} Its runs and files are kept. <Link href="/">All experiments</Link>
        </p>
      </header>
      {currentCopy() === null && (
        <button type="button" className="quiet" disabled={send.isPending} onClick={() => send.mutate(undefined)}>
          Restore it
        </button>
      )}
      {send.isError && (
        <p className="refused" role="alert">
          Not restored: {reasonOf(send.error)}
        </p>
      )}
    </div>
  );
}

/** What comes with the program may not be in the store yet; when it is, the experiment is asked for again. */
function Missing({ slug }: { slug: string }) {
  const dataset = useDatasetStates().find((each) => each.slug === slug);
  if (!dataset) return <Unknown what="experiment" name={slug} all="/" />;
  const loading = dataset.state === 'loading';
  return (
    <div className="page">
      <header className="lede">
        <h1>
          The data set {slug} {loading ? 'is being loaded' : 'could not be loaded'}
        </h1>
        <p>
          {loading ? 'It appears here when it is whole.' : dataset.message} <Link href="/">All experiments</Link>
        </p>
      </header>
    </div>
  );
}

export function NoExperiment({ slug, error }: { slug: string; error: unknown }) {
  if (isDeleted(error)) return <Deleted slug={slug} message={error.message} />;
  return <Missing slug={slug} />;
}
