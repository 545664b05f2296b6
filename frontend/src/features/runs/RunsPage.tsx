// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { currentCopy, tryAgain } from '../../api/copy';
import { isMissing, reasonOf } from '../../api/errors';
import { useExperiment, useRuns } from '../../api/queries';
import type { Experiment, Run } from '../../api/types';
import { levelInWords } from '../../components/factorWords';
import { Kind } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { RejectedNotice } from '../../components/RejectedNotice';
import { ScrollRegion } from '../../components/ScrollRegion';
import { useTitle } from '../../components/title';
import { decimal } from '../../plots/number';
import { ChangeExperiment } from '../experiments/change/ChangeExperiment';
import { NoExperiment } from '../experiments/change/NoExperiment';
import { ListControls } from './ListControls';
import { isFiltered, type Listing, PAGE, readListing, requestOf, sortedBy, toQuery } from './listing';
import { moment, numbersOf, stateOf, warningsOf } from './messages';
import './runs.css';

/** The address is the list: what a press changes goes there, and comes back from there. */
function useListing(experiment: Experiment | undefined) {
  const [params, setParams] = useSearchParams();
  const query = params.toString();
  const read = useMemo(() => experiment && readListing(query, experiment), [query, experiment]);
  function change(next: Partial<Listing>) {
    if (!read || !experiment) return;
    // another list begins at its first page
    const to = { ...read.listing, from: 0, ...next };
    setParams(new URLSearchParams(toQuery(to, experiment)), { replace: true });
  }
  return { listing: read?.listing, rejected: read?.rejected ?? [], change };
}

function Row(props: {
  run: Run;
  factors: readonly string[];
  measures: readonly string[];
  labelOf: (name: string) => string;
  /** A measure's value, in as many decimals as the others of its column. */
  wordsOf: (name: string, value: number) => string;
}) {
  const { run, factors, measures } = props;
  const state = stateOf(run);
  return (
    <tr className={state}>
      <td>
        <Link href={`/runs/${run.id}`} aria-label={`Run ${run.id.slice(0, 8)}`}>
          {run.id.slice(0, 8)}
        </Link>
      </td>
      {factors.map((name) => (
        <td
          key={name}
          className={typeof run.factors[name] === 'number' ? 'n whole' : 'n'}
          data-label={props.labelOf(name)}
        >
          {levelInWords(run.factors[name] ?? '–')}
        </td>
      ))}
      <td className="n whole" data-label="Replicate">
        {run.replicate ?? '–'}
      </td>
      {measures.map((name) => {
        const measured = run.measures[name];
        return (
          <td key={name} className="n value whole" data-label={props.labelOf(name)}>
            {measured ? props.wordsOf(name, measured.value) : <small>not available</small>}
            {measured && measured.n > 1 && <small> mean of {measured.n}</small>}
          </td>
        );
      })}
      <td className="state" data-label="State">
        <span>
          {state}
          {run.warning_codes.length > 0 && <small>{warningsOf(run)}</small>}
        </span>
      </td>
      <td className="when" data-label="Recorded or stored, UTC">
        {moment(run.recorded_at ?? run.created_at).replace(/ UTC$/, '')}
      </td>
    </tr>
  );
}

function Pages({ from, total, go }: { from: number; total: number; go: (from: number) => void }) {
  if (total <= PAGE && from === 0) return null;
  return (
    <nav className="pages" aria-label="Pages of runs">
      <button type="button" className="quiet" disabled={from === 0} onClick={() => go(Math.max(0, from - PAGE))}>
        Previous
      </button>
      <span>
        {decimal(from + 1, 0)} to {decimal(Math.min(from + PAGE, total), 0)} of {decimal(total, 0)}
      </span>
      <button type="button" className="quiet" disabled={from + PAGE >= total} onClick={() => go(from + PAGE)}>
        Next
      </button>
    </nav>
  );
}

const SIGNS = { ascending: '↑', descending: '↓', none: '↕' } as const;

/** A column's head: what stands in it and its unit, and a press that sorts by it. */
function Head(props: {
  name: string;
  label: string;
  listing: Listing;
  change: (next: Partial<Listing>) => void;
  children: ReactNode;
  unit?: string;
  numbers?: boolean;
}) {
  const { name, label, listing, change } = props;
  const sort = listing.sort !== name ? 'none' : listing.falling ? 'descending' : 'ascending';
  return (
    <th scope="col" className={props.numbers ? 'n' : undefined} aria-sort={sort}>
      {props.children}{' '}
      <small>
        {props.unit}{' '}
        <button
          type="button"
          className="sort"
          aria-label={`Sort by ${label}`}
          onClick={() => change(sortedBy(listing, name))}
        >
          {SIGNS[sort]}
        </button>
      </small>
    </th>
  );
}

function Table(props: {
  experiment: Experiment;
  runs: readonly Run[];
  listing: Listing;
  change: (next: Partial<Listing>) => void;
}) {
  const { experiment, runs, listing, change } = props;
  const factors = experiment.factors.map(({ name }) => name);
  const columns = new Map([...experiment.factors, ...experiment.measures].map((each) => [each.name, each]));
  const titleOf = (name: string) => columns.get(name)?.label ?? name;
  const unitOf = (name: string) => columns.get(name)?.unit;
  const words = Object.fromEntries(
    listing.show.map((name) => [name, numbersOf(runs.map(({ measures }) => measures[name]?.value))]),
  );
  const own = { listing, change };
  const head = (name: string) => {
    const label = titleOf(name);
    return (
      <Head key={name} name={name} label={label} unit={unitOf(name)} numbers {...own}>
        <QuantityName name={name}>{label}</QuantityName>
      </Head>
    );
  };
  return (
    <ScrollRegion label="Runs">
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Run</th>
            {factors.map(head)}
            <Head name="replicate" label="replicate" numbers {...own}>
              Replicate
            </Head>
            {listing.show.map(head)}
            <th scope="col">State</th>
            <Head name="recorded" label="time" unit="UTC" {...own}>
              Recorded or stored
            </Head>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row
              key={run.id}
              run={run}
              factors={factors}
              measures={listing.show}
              labelOf={(name) => [titleOf(name), unitOf(name)].filter(Boolean).join(', ')}
              wordsOf={(name, value) => words[name](value)}
            />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Count(props: { total: number; listing: Listing; change: (next: Partial<Listing>) => void }) {
  const { total, listing, change } = props;
  const all = () => change({ where: {}, state: null, warnings: null, cell: null });
  return (
    <p className="count">
      <span role="status">
        {decimal(total, 0)} {total === 1 ? 'run' : 'runs'}
        {listing.cell !== null && ' of one cell'}
      </span>
      {isFiltered(listing) && (
        <button type="button" className="inline" onClick={all}>
          Show all
        </button>
      )}
    </p>
  );
}

function Nothing(props: { total: number; listing: Listing; change: (next: Partial<Listing>) => void }) {
  const { total, listing, change } = props;
  if (total > 0)
    return (
      <Notice tone="plain" title="No more results" action={{ label: 'Its first page', onClick: () => change({}) }} />
    );
  if (isFiltered(listing)) return <Notice tone="plain" title="No matching runs" />;
  return (
    <Notice tone="plain" title="No runs yet">
      {currentCopy() === null && (
        <>
          <Link href="/upload">Upload run logs</Link> to fill this experiment.
        </>
      )}
    </Notice>
  );
}

/** Every run of an experiment: settings, a chosen few measures, and whether it counts. */
export function RunsPage({ slug }: { slug: string }) {
  const experiment = useExperiment(slug);
  const { listing, rejected, change } = useListing(experiment.data);
  const runs = useRuns(slug, listing ? requestOf(listing) : null);
  useTitle(experiment.data && `Runs of ${experiment.data.title}`);
  const failed = experiment.error ?? runs.error;
  if (isMissing(experiment.error)) return <NoExperiment slug={slug} error={experiment.error} />;
  return (
    <div className="page runs">
      <header className="lede">
        <h1>Runs{experiment.data && ` of ${experiment.data.title}`}</h1>
        {experiment.data && (
          <p>
            <Link href={`/explorer/${slug}`}>Open in the explorer</Link> ·{' '}
            <Link href={`/experiments/${slug}/replicates`}>How the replicates spread</Link>{' '}
            <Kind kind={experiment.data.kind} />
          </p>
        )}
        {experiment.data && <ChangeExperiment experiment={experiment.data} />}
      </header>
      <RejectedNotice rejected={rejected} />
      {failed && (
        <Notice
          tone="bad"
          title="Couldn’t load the runs"
          {...tryAgain(failed, () => void Promise.all([experiment.refetch(), runs.refetch()]))}
        >
          {reasonOf(failed)} {runs.data && 'What was on the page is still there.'}
        </Notice>
      )}
      {experiment.data && listing && <ListControls experiment={experiment.data} listing={listing} change={change} />}
      {(experiment.isPending || runs.isPending) && !failed && <LoadingLine label="Loading the runs" />}
      {experiment.data && listing && runs.data && (
        <>
          <Count total={runs.data.total} listing={listing} change={change} />
          {runs.data.runs.length > 0 ? (
            <Table experiment={experiment.data} runs={runs.data.runs} listing={listing} change={change} />
          ) : (
            <Nothing total={runs.data.total} listing={listing} change={change} />
          )}
          <Pages from={listing.from} total={runs.data.total} go={(from) => change({ from })} />
        </>
      )}
    </div>
  );
}
