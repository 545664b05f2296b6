// SPDX-License-Identifier: Apache-2.0

import { Link } from 'wouter';
import { useReplicates, useReplicationPlan, useVariance } from '../../api/comparisons';
import { tryAgain } from '../../api/copy';
import { isMissing, reasonOf } from '../../api/errors';
import { useExperiment } from '../../api/queries';
import type { Experiment } from '../../api/types';
import { Kind } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import { NoExperiment } from '../experiments/change/NoExperiment';
import { Choices } from './Choices';
import { type Change, type Chosen, twoOf, useChosen, WIDTHS } from './chosen';
import { independenceWords, outliersWords } from './messages';
import { PlanTable } from './PlanTable';
import { Cells, NoReplicates, Spread } from './Spread';
import { NoVariance, VarianceTable } from './VarianceTable';
import './replicates.css';

function Body({ experiment, view, change }: { experiment: Experiment; view: Chosen; change: Change }) {
  const { slug, kind } = experiment;
  const pair = twoOf(experiment, view.where);
  const replicates = useReplicates(slug, view.measure, view.where, view.without);
  const variance = useVariance(slug, view.measure, pair, view.where, view.without);
  const plan = useReplicationPlan(slug, view.measure, view.width, view.where, view.without);
  const cells = replicates.data?.cells ?? [];
  return (
    <>
      <Choices experiment={experiment} view={view} change={change} />
      {view.without.length > 0 && (
        <Notice
          tone="warn"
          title={`${view.without.length} ${view.without.length === 1 ? 'run is' : 'runs are'} left out of this page`}
          action={{ label: 'Put back', onClick: () => change({ without: null }) }}
        >
          Nothing is deleted. Cells, variance and plan are of the other runs.
        </Notice>
      )}
      {replicates.isError && (
        <NoReplicates error={replicates.error} experiment={experiment} where={view.where} change={change} />
      )}
      {replicates.isPending && !replicates.isError && <LoadingLine label="Loading the replicates" />}
      {replicates.data && (
        <Section title="How replicates spread">
          <p className="said">
            {outliersWords(cells)} {independenceWords(replicates.data.independence)}
          </p>
          <Spread cells={cells} kind={kind} wanted={view.width} />
          <Cells slug={slug} measure={replicates.data.measure} cells={cells} unit={replicates.data.unit} />
        </Section>
      )}
      <Section title="Sources of variance">
        {pair.length < 2 ? (
          <p>An analysis of variance needs two factors that vary. Let two be free above.</p>
        ) : variance.data ? (
          <VarianceTable variance={variance.data} />
        ) : variance.isError ? (
          <NoVariance error={variance.error} experiment={experiment} pair={pair} change={change} />
        ) : (
          <p>Calculating…</p>
        )}
      </Section>
      <Section title="What to measure again">
        <label className="field width">
          Wanted half width of each 95 % interval
          <select value={view.width} onChange={(event) => change({ width: event.currentTarget.value })}>
            {WIDTHS.map((width) => (
              <option key={width} value={width}>
                ± {width} % of the mean
              </option>
            ))}
          </select>
        </label>
        {plan.data ? <PlanTable plan={plan.data} /> : plan.isError && <p className="said">{reasonOf(plan.error)}</p>}
      </Section>
    </>
  );
}

/** What the replicates of an experiment say: spread, outliers, where variation comes from, what is missing. */
export function ReplicatesPage({ slug }: { slug: string }) {
  const experiment = useExperiment(slug);
  const [view, change] = useChosen(experiment.data);
  useTitle(experiment.data && `Replicates of ${experiment.data.title}`);
  if (isMissing(experiment.error)) return <NoExperiment slug={slug} error={experiment.error} />;
  return (
    <div className="page replicates">
      <header className="lede">
        <h1>Replicates{experiment.data && ` of ${experiment.data.title}`}</h1>
        {experiment.data && (
          <p>
            <Link href={`/explorer/${slug}`}>Explorer</Link> · <Link href={`/experiments/${slug}/runs`}>Runs</Link>{' '}
            <Kind kind={experiment.data.kind} />
          </p>
        )}
      </header>
      {experiment.isError && (
        <Notice
          tone="bad"
          title="Couldn’t load the experiment"
          {...tryAgain(experiment.error, () => experiment.refetch())}
        >
          {reasonOf(experiment.error)}
        </Notice>
      )}
      {experiment.isPending && <LoadingLine label="Loading the experiment" />}
      {experiment.data &&
        (experiment.data.cells > 0 ? (
          <Body experiment={experiment.data} view={view} change={change} />
        ) : (
          <Notice tone="plain" title="No runs yet">
            <Link href="/upload">Upload run logs</Link> to fill this experiment.
          </Notice>
        ))}
    </div>
  );
}
