// SPDX-License-Identifier: Apache-2.0
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { mayComeYet, tryAgain } from '../../api/copy';
import { isDeleted, isMissing, reasonOf } from '../../api/errors';
import { useCells, useExperiment, useNewerData } from '../../api/queries';
import { LoadingLine } from '../../components/Loading';
import { lazyPart } from '../../components/lazyPart';
import { Notice } from '../../components/Notice';
import { useTitle } from '../../components/title';
import { dropParameter } from '../../state/address';
import { plannedCells } from '../../state/planned';
import type { Subject } from '../../state/subject';
import { currentQuery, leftOutOf } from '../../state/url';
import { type Followed, usePlan, useSweep } from '../live/useSweep';
import { Explorer } from './Explorer';
import { Skeleton } from './Skeleton';

const NoExperiment = lazyPart(
  'What is known of this address',
  async () => (await import('../experiments/change/NoExperiment')).NoExperiment,
);

const SweepLine = lazyPart('How far the sweep is', async () => (await import('../live/SweepLine')).SweepLine);

const LeftOut = lazyPart('Which runs are left out', async () => (await import('./LeftOut')).LeftOut);

/** A sweep has said what it will measure, and no run of it has come. */
function Awaited({ slug, followed }: { slug: string; followed: Followed }) {
  return (
    <div className="page">
      <header className="lede">
        <h1>No run has come yet</h1>
        <SweepLine followed={followed} />
        <p>
          The surface of <code>{slug}</code> appears here with the first one. <Link href="/">All experiments</Link>
        </p>
      </header>
    </div>
  );
}

function Missing(props: { slug: string; error: unknown; again: () => void; followed: Followed | null }) {
  const { slug, error, again, followed } = props;
  if (isMissing(error))
    return followed && !isDeleted(error) ? (
      <Awaited slug={slug} followed={followed} />
    ) : (
      <NoExperiment slug={slug} error={error} />
    );
  return (
    <div className="page">
      <header className="lede">
        <h1>Couldn’t load the experiment</h1>
        <p>
          {reasonOf(error)}{' '}
          {mayComeYet(error) && (
            <button type="button" className="inline" onClick={again}>
              Try again
            </button>
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
          recorded with the logger, or a table; each run fills its cell here.
        </p>
      </header>
    </div>
  );
}

export function ExplorerPage({ slug }: { slug: string }) {
  const experiment = useExperiment(slug);
  const [without, setWithout] = useState(() => leftOutOf(currentQuery()));
  const cells = useCells(slug, {}, without);
  useTitle(experiment.data?.title);
  useNewerData(slug, cells.data?.data_version ?? (cells.isError ? null : undefined));
  const known = experiment.data;
  const filled = cells.data?.cells;
  const independence = cells.data?.independence;
  const followed = useSweep(slug);
  const plan = usePlan(followed);
  const subject = useMemo<Subject | null>(
    () =>
      known && filled
        ? {
            of: 'experiment',
            experiment: known,
            cells: filled,
            independence,
            without,
            planned: plannedCells(plan, filled),
          }
        : null,
    [known, filled, independence, without, plan],
  );
  if (experiment.isError && !known)
    return <Missing slug={slug} error={experiment.error} again={() => experiment.refetch()} followed={followed} />;
  if (cells.isError && !filled)
    return <Missing slug={slug} error={cells.error} again={() => cells.refetch()} followed={followed} />;
  if (known && !filled) return <Skeleton experiment={known} />;
  if (subject?.of !== 'experiment') return <LoadingLine label="Loading the experiment" />;
  const putBack = () => {
    dropParameter('without');
    setWithout([]);
  };
  const leftOut = (
    <div className="left-out">
      {without.length > 0 && <LeftOut asked={without} known={cells.data?.left_out ?? []} putBack={putBack} />}
    </div>
  );
  if (subject.cells.length === 0)
    return without.length > 0 ? (
      <div className="page">{leftOut}</div>
    ) : (
      <Empty slug={slug} title={subject.experiment.title} />
    );
  const failed = cells.isError || experiment.isError;
  return (
    <Explorer
      subject={subject}
      dataVersion={cells.data?.data_version}
      above={
        <>
          {followed && <SweepLine followed={followed} />}
          {leftOut}
          {failed && (
            <Notice
              tone="bad"
              title="The cells could not be brought up to date"
              {...tryAgain(cells.error ?? experiment.error, () => cells.refetch())}
            >
              {reasonOf(cells.error ?? experiment.error)} What is on the page is from before.
            </Notice>
          )}
        </>
      }
    />
  );
}
