// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'react';
import { Link } from 'wouter';
import { ApiError, reasonOf } from '../../api/errors';
import { useCells, useExperiment, useNewerData } from '../../api/queries';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { useTitle } from '../../components/title';
import type { Subject } from '../../state/view';
import { SweepLine } from '../live/SweepLine';
import { Explorer } from './Explorer';
import { Skeleton } from './Skeleton';

function Missing({ slug, error, again }: { slug: string; error: unknown; again: () => void }) {
  const unknown = error instanceof ApiError && error.status === 404;
  return (
    <div className="page">
      <header className="lede">
        <h1>{unknown ? 'No such experiment' : 'The experiment did not arrive'}</h1>
        {unknown && <SweepLine slug={slug} />}
        <p>
          {unknown ? (
            <>
              There is no experiment named <code>{slug}</code> here. <Link href="/">All experiments</Link>
            </>
          ) : (
            <>
              {reasonOf(error)}{' '}
              <button type="button" className="inline" onClick={again}>
                Try again
              </button>
            </>
          )}
        </p>
      </header>
    </div>
  );
}

function Empty({ slug, title }: { slug: string; title: string }) {
  return (
    <div className="page">
      <header className="lede">
        <h1>{title}</h1>
        <p>
          No cell has data yet. <Link href={`/upload?experiment=${encodeURIComponent(slug)}`}>Upload run logs</Link>{' '}
          recorded with the logger, or a table; every run that arrives fills its cell here.
        </p>
      </header>
    </div>
  );
}

export function ExplorerPage({ slug }: { slug: string }) {
  const experiment = useExperiment(slug);
  const cells = useCells(slug);
  useTitle(experiment.data?.title);
  useNewerData(slug, cells.data?.data_version ?? (cells.isError ? null : undefined));
  const known = experiment.data;
  const filled = cells.data?.cells;
  const subject = useMemo<Subject | null>(
    () => (known && filled ? { of: 'experiment', experiment: known, cells: filled } : null),
    [known, filled],
  );
  if (experiment.isError && !known)
    return <Missing slug={slug} error={experiment.error} again={() => experiment.refetch()} />;
  if (cells.isError && !filled) return <Missing slug={slug} error={cells.error} again={() => cells.refetch()} />;
  if (known && !filled) return <Skeleton experiment={known} />;
  if (subject?.of !== 'experiment') return <LoadingLine label="Loading the experiment" />;
  if (subject.cells.length === 0) return <Empty slug={slug} title={subject.experiment.title} />;
  const failed = cells.isError || experiment.isError;
  return (
    <Explorer
      subject={subject}
      dataVersion={cells.data?.data_version}
      above={
        <>
          <SweepLine slug={slug} />
          {failed && (
            <Notice
              tone="bad"
              title="The cells could not be brought up to date"
              action={{ label: 'Try again', onClick: () => cells.refetch() }}
            >
              {reasonOf(cells.error ?? experiment.error)} What is on the page is from before.
            </Notice>
          )}
        </>
      }
    />
  );
}
