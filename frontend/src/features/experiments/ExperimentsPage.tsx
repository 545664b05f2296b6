// SPDX-License-Identifier: Apache-2.0
import { useDeferredValue } from 'react';
import { Link, useSearchParams } from 'wouter';
import { currentCopy, tryAgain } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useDatasetStates, useGrowingExperiments } from '../../api/growing';
import { useQuantities } from '../../api/queries';
import type { ExperimentSummary, Kind as KindName } from '../../api/types';
import { labelOf } from '../../components/factorWords';
import { KINDS, Kind, KindGlyph } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { SectionTitle } from '../../components/Section';
import { useTitle } from '../../components/title';
import { decimal } from '../../plots/number';
import { Opening } from '../home/Opening';
import { DeletedExperiments } from './change/DeletedExperiments';
import { GlanceTile } from './GlanceTile';
import { caption, countByKind, design, type Filter, inOrder, matches, tileOf } from './listing';
import { ModelsLine } from './ModelsLine';
import { TickToCompare, useTicked } from './ticked';
import { YourHost } from './YourHost';
import './experiments.css';

const COLUMNS = 6;

/** The filter is part of the address: `?q=iperf&without=published,simulated`. */
function useFilter(): [Filter, (next: Partial<Filter>) => void] {
  const [params, setParams] = useSearchParams();
  const without = (params.get('without') ?? '').split(',');
  const filter: Filter = {
    text: params.get('q') ?? '',
    hidden: new Set(KINDS.filter((kind) => without.includes(kind))),
  };
  function change(next: Partial<Filter>) {
    const { text, hidden } = { ...filter, ...next };
    setParams(
      (now) => {
        const to = new URLSearchParams(now);
        if (text) to.set('q', text);
        else to.delete('q');
        if (hidden.size) to.set('without', [...hidden].join(','));
        else to.delete('without');
        return to;
      },
      { replace: true },
    );
  }
  return [filter, change];
}

function Row(props: {
  experiment: ExperimentSummary;
  captionOf: (measure: string) => string;
  ticked: boolean;
  onTick: () => void;
}) {
  const { experiment, captionOf } = props;
  const { slug, title, subtitle, kind, factors, cells, designed_cells, replicates_label, source_note, glance } =
    experiment;
  return (
    <tr>
      <td className="nm">
        <div className="named">
          {cells > 0 && (
            <label className="tick">
              <input type="checkbox" checked={props.ticked} onChange={props.onTick} aria-label={`Compare ${title}`} />
            </label>
          )}
          <Link className="row-link" href={`/explorer/${slug}`}>
            {title}
          </Link>
          <small>{[subtitle, design(factors)].filter(Boolean).join(' · ')}</small>
        </div>
      </td>
      <td>
        <div className="tiles">
          {glance.map((each) => (
            <Link key={each.measure} href={`/explorer/${slug}?measure=${each.measure}`}>
              <figure>
                <GlanceTile shades={tileOf(each).shades} />
                <figcaption>{captionOf(each.measure)}</figcaption>
              </figure>
            </Link>
          ))}
        </div>
      </td>
      <td>
        <Kind kind={kind} />
      </td>
      <td className="n">
        <b>{decimal(cells, 0)}</b> <small>of {decimal(designed_cells, 0)}</small>
      </td>
      <td>
        <Link href={`/experiments/${slug}/runs`} aria-label={`Runs of ${title}: ${replicates_label}`}>
          {replicates_label}
        </Link>
      </td>
      <td className="src">{source_note}</td>
    </tr>
  );
}

function KindFilter(props: {
  counts: Record<KindName, number>;
  filter: Filter;
  change: (hidden: Set<KindName>) => void;
}) {
  function toggle(kind: KindName) {
    const hidden = new Set(props.filter.hidden);
    if (!hidden.delete(kind)) hidden.add(kind);
    props.change(hidden);
  }
  return (
    <div className="kinds" role="group" aria-label="Kinds">
      {KINDS.map((kind) => (
        <button
          key={kind}
          type="button"
          className={`kind ${kind}`}
          aria-pressed={!props.filter.hidden.has(kind)}
          onClick={() => toggle(kind)}
        >
          <KindGlyph kind={kind} />
          <span>{kind}</span> <small>{props.counts[kind]}</small>
        </button>
      ))}
    </div>
  );
}

function Nothing({ filter, clear }: { filter: Filter; clear: () => void }) {
  return (
    <tr>
      <td colSpan={COLUMNS} className="none">
        No experiment matches {filter.text ? <b>{filter.text}</b> : 'the chosen kinds'}.{' '}
        <button type="button" className="inline" onClick={clear}>
          Show all
        </button>
      </td>
    </tr>
  );
}

/** Data sets that come with the program and are not in the table yet. */
function DataSets() {
  return useDatasetStates().map(({ slug, state, message }) =>
    state === 'loading' ? (
      <Notice key={slug} tone="plain" title={`The data set ${slug} is being loaded`}>
        It appears here when it is whole.
      </Notice>
    ) : (
      <Notice key={slug} tone="bad" title={`The data set ${slug} could not be loaded`}>
        {message}
      </Notice>
    ),
  );
}

/** Home: what one gains, and a quiet table of everything there is to look at. */
export function ExperimentsPage() {
  useTitle(undefined);
  const experiments = useGrowingExperiments();
  // the study comes first: the surface above is drawn before the list below it
  const listed = useDeferredValue(experiments.data, undefined);
  const quantities = useQuantities();
  const [filter, change] = useFilter();
  const all = listed ?? [];
  const shown = inOrder(all).filter((experiment) => matches(experiment, filter));
  const [ticked, tick] = useTicked(all);
  const captionOf = (measure: string) => caption(labelOf(measure, quantities.data));

  return (
    <div className="page experiments">
      <Opening experiments={experiments.data} />
      <SectionTitle>Experiments</SectionTitle>
      <div className="filters">
        <label className="find">
          <span className="sr">Filter</span>
          <input
            type="search"
            placeholder="Filter by host, driver or workload"
            value={filter.text}
            onChange={(event) => change({ text: event.currentTarget.value })}
          />
        </label>
        <KindFilter counts={countByKind(all)} filter={filter} change={(hidden) => change({ hidden })} />
        {currentCopy() === null && (
          <Link className="action" href="/upload">
            Upload run logs
          </Link>
        )}
      </div>
      <p className="sr" role="status">
        {listed && `${shown.length} of ${all.length} experiments`}
      </p>
      {experiments.isError && (
        <Notice
          tone="bad"
          title="Couldn’t load the experiments"
          {...tryAgain(experiments.error, () => void experiments.refetch())}
        >
          {reasonOf(experiments.error)} {experiments.data && 'What was on the page is still there.'}
        </Notice>
      )}
      {!listed && !experiments.isError && <LoadingLine label="Loading the experiments" />}
      <DataSets />
      <table className="list" aria-label="Experiments">
        <thead>
          <tr>
            <th scope="col">Experiment</th>
            <th scope="col">
              At a glance <small>delay across, MTU up; brighter is more</small>
            </th>
            <th scope="col">Kind</th>
            <th scope="col" className="n">
              Cells
            </th>
            <th scope="col">Replicates</th>
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((experiment) => (
            <Row
              key={experiment.slug}
              experiment={experiment}
              captionOf={captionOf}
              ticked={ticked.includes(experiment.slug)}
              onTick={() => tick(experiment.slug)}
            />
          ))}
          {all.length > 0 && shown.length === 0 && (
            <Nothing filter={filter} clear={() => change({ text: '', hidden: new Set() })} />
          )}
          {listed && currentCopy() === null && <YourHost measured={countByKind(all).measured} />}
        </tbody>
      </table>
      <TickToCompare ticked={ticked} />
      {listed && currentCopy() === null && <DeletedExperiments />}
      {(listed || experiments.isError) && <ModelsLine />}
    </div>
  );
}
