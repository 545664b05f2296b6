// SPDX-License-Identifier: Apache-2.0

import { Link, useSearchParams } from 'wouter';
import { tryAgain } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useExperiment, useQuantities, useRuns } from '../../api/queries';
import type { Experiment, MeasureOf, Run } from '../../api/types';
import { labelOf } from '../../components/factorWords';
import { Icon } from '../../components/Icon';
import { Kind } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Menu, MenuItem } from '../../components/Menu';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { useTitle } from '../../components/title';
import { chosenFew, moment, number, stateOf } from './words';
import './runs.css';

const PAGE = 100;

interface View {
  from: number;
  cell: number | undefined;
  measures: string[];
}

function whole(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** What the table shows is in the address: `?show=throughput_mbps,drops&from=100&cell=7`. */
function useView(experiment: Experiment | undefined): [View, (next: Partial<View>) => void] {
  const [params, setParams] = useSearchParams();
  const known = experiment?.measures ?? [];
  const few = chosenFew(known, experiment?.default_view?.measure);
  const asked = params.get('show')?.split(',');
  const measures = asked ? asked.filter((name) => known.some((measure) => measure.name === name)) : few;
  const view: View = { from: whole(params.get('from')) ?? 0, cell: whole(params.get('cell')), measures };

  function change(next: Partial<View>) {
    const to = { ...view, ...next };
    const query: [string, string][] = [];
    if (to.measures.join() !== few.join()) query.push(['show', to.measures.join(',')]);
    if (to.from) query.push(['from', String(to.from)]);
    if (to.cell !== undefined) query.push(['cell', String(to.cell)]);
    setParams(new URLSearchParams(query), { replace: true });
  }
  return [view, change];
}

function Choice({
  all,
  view,
  change,
}: {
  all: readonly MeasureOf[];
  view: View;
  change: (next: Partial<View>) => void;
}) {
  const toggle = (name: string) =>
    change({
      measures: view.measures.includes(name) ? view.measures.filter((each) => each !== name) : [...view.measures, name],
    });
  return (
    <Menu
      label="Measures shown"
      align="start"
      trigger={
        <>
          Measures <Icon name="down" small />
        </>
      }
    >
      {all.map(({ name, label, unit }) => (
        <MenuItem
          key={name}
          several
          stay
          checked={view.measures.includes(name)}
          note={unit}
          onSelect={() => toggle(name)}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}

function Row(props: {
  run: Run;
  factors: readonly string[];
  measures: readonly string[];
  labelOf: (name: string) => string;
}) {
  const { run, factors, measures } = props;
  const state = stateOf(run);
  return (
    <tr className={state}>
      <td>
        <Link href={`/runs/${run.id}`} aria-label={`Run ${run.id}`}>
          {run.id.slice(0, 8)}
        </Link>
      </td>
      {factors.map((name) => (
        <td key={name} className="n" data-label={props.labelOf(name)}>
          {run.factors[name] ?? '–'}
        </td>
      ))}
      <td className="n" data-label="Replicate">
        {run.replicate ?? '–'}
      </td>
      {measures.map((name) => {
        const measured = run.measures[name];
        return (
          <td key={name} className="n value" data-label={props.labelOf(name)}>
            {measured ? number(measured.value) : <small>not available</small>}
            {measured && measured.n > 1 && <small> mean of {measured.n}</small>}
          </td>
        );
      })}
      <td className="state" data-label="State">
        {state}
      </td>
      <td>{moment(run.recorded_at ?? run.created_at)}</td>
    </tr>
  );
}

function Pages({ from, total, go }: { from: number; total: number; go: (from: number) => void }) {
  if (total <= PAGE && from === 0) return null;
  return (
    <nav className="pages" aria-label="Pages of runs">
      <button type="button" className="quiet" disabled={from === 0} onClick={() => go(Math.max(0, from - PAGE))}>
        Earlier
      </button>
      <span>
        {from + 1} to {Math.min(from + PAGE, total)} of {total}
      </span>
      <button type="button" className="quiet" disabled={from + PAGE >= total} onClick={() => go(from + PAGE)}>
        Later
      </button>
    </nav>
  );
}

function Table({ experiment, runs, measures }: { experiment: Experiment; runs: readonly Run[]; measures: string[] }) {
  const quantities = useQuantities();
  const factors = experiment.factors.map(({ name }) => name);
  const unitOf = (name: string) => quantities.data?.find((quantity) => quantity.name === name)?.unit;
  const head = (name: string) => {
    const unit = unitOf(name);
    return (
      <th key={name} scope="col" className="n">
        <QuantityName name={name}>{labelOf(name, quantities.data)}</QuantityName>
        <small>{unit || '\u00a0'}</small>
      </th>
    );
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll" aria-label="Runs" tabIndex={0}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Run</th>
            {factors.map(head)}
            <th scope="col" className="n">
              Replicate
            </th>
            {measures.map(head)}
            <th scope="col">State</th>
            <th scope="col">Recorded or stored</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row
              key={run.id}
              run={run}
              factors={factors}
              measures={measures}
              labelOf={(name) => [labelOf(name, quantities.data), unitOf(name)].filter(Boolean).join(', ')}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Every run of an experiment: settings, a chosen few measures, and whether it counts. */
export function RunsPage({ slug }: { slug: string }) {
  const experiment = useExperiment(slug);
  const [view, change] = useView(experiment.data);
  const runs = useRuns(slug, { limit: PAGE, offset: view.from, cell: view.cell });
  useTitle(experiment.data && `Runs of ${experiment.data.title}`);
  const failed = experiment.error ?? runs.error;
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
      </header>
      {failed && (
        <Notice
          tone="bad"
          title="The runs did not arrive"
          {...tryAgain(failed, () => void Promise.all([experiment.refetch(), runs.refetch()]))}
        >
          {reasonOf(failed)} {runs.data && 'What was on the page is still there.'}
        </Notice>
      )}
      {(experiment.isPending || runs.isPending) && !failed && <LoadingLine label="Loading the runs" />}
      {experiment.data && runs.data && (
        <>
          <div className="row">
            <p>
              {runs.data.total} {runs.data.total === 1 ? 'run' : 'runs'}
              {view.cell !== undefined && (
                <>
                  {' '}
                  of one cell.{' '}
                  <button type="button" className="inline" onClick={() => change({ cell: undefined, from: 0 })}>
                    Show all
                  </button>
                </>
              )}
            </p>
            <Choice all={experiment.data.measures} view={view} change={change} />
          </div>
          {runs.data.runs.length > 0 ? (
            <Table experiment={experiment.data} runs={runs.data.runs} measures={view.measures} />
          ) : (
            <Notice tone="plain" title="No runs yet">
              <Link href="/upload">Upload run logs</Link> to fill this experiment.
            </Notice>
          )}
          <Pages from={view.from} total={runs.data.total} go={(from) => change({ from })} />
        </>
      )}
    </div>
  );
}
