// SPDX-License-Identifier: Apache-2.0
// The page at the address of an experiment that is not there: there was none, or it was deleted.
import { Link } from 'wouter';
import { useRestoreExperiment } from '../../../api/changing';
import { currentCopy } from '../../../api/copy';
import { isDeleted, reasonOf } from '../../../api/errors';
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

export function NoExperiment({ slug, error }: { slug: string; error: unknown }) {
  if (isDeleted(error)) return <Deleted slug={slug} message={error.message} />;
  return <Unknown what="experiment" name={slug} all="/" />;
}
