// SPDX-License-Identifier: Apache-2.0

import { Fragment, type ReactNode, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useReplicates, useReplicationPlan, useVariance } from '../../api/comparisons';
import { tryAgain } from '../../api/copy';
import { ApiError, isMissing, reasonOf } from '../../api/errors';
import { useExperiment, useQuantities } from '../../api/queries';
import type { Experiment, Factors, Kind as KindName, ReplicatedCell, ReplicationPlan, Variance } from '../../api/types';
import { inWords, labelOf, levelInWords, shortLabel } from '../../components/factorWords';
import { Kind } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { useTitle } from '../../components/title';
import { Unknown } from '../../components/Unknown';
import { Drawing, useWidth } from '../../layers/Drawing';
import { alike, brief, decimal } from '../../plots/number';
import { leftOutOf } from '../../state/url';
import { HEIGHT, spreadShapes } from './figure';
import { chance, independenceWords, outliersWords, planWords, varianceWords } from './words';
import './replicates.css';

const WIDTHS = [1, 2, 5, 10, 20];
const WIDTH = 5;

interface View {
  readonly measure: string | undefined;
  readonly where: Factors;
  readonly width: number;
  readonly without: readonly string[];
}

/** What is looked at, from the address: `?measure=drops&workload=tcp&width=10&without=ID`. */
function useView(experiment: Experiment | undefined): [View, (next: Record<string, string | null>) => void] {
  const [params, setParams] = useSearchParams();
  const measures = experiment?.measures.map(({ name }) => name) ?? [];
  const asked = params.get('measure');
  const fallback = experiment?.default_view?.measure ?? measures[0];
  const where = Object.fromEntries(
    (experiment?.factors ?? []).flatMap(({ name, levels }) => {
      const level = levels.find((each) => String(each) === params.get(name));
      return level === undefined ? [] : [[name, level]];
    }),
  );
  const width = Number(params.get('width'));
  const view = {
    measure: asked !== null && measures.includes(asked) ? asked : fallback,
    where,
    width: WIDTHS.includes(width) ? width : WIDTH,
    without: leftOutOf(params.toString()),
  };
  const change = (next: Record<string, string | null>) =>
    setParams(
      (now) => {
        const to = new URLSearchParams(now);
        for (const [name, value] of Object.entries(next)) {
          if (value === null) to.delete(name);
          else to.set(name, value);
        }
        return to;
      },
      { replace: true },
    );
  return [view, change];
}

/** The two factors that the analysis is of: those that vary in the chosen cells, numbers first. */
function twoOf(experiment: Experiment, where: Factors): string[] {
  const free = experiment.factors.filter(({ name, levels }) => levels.length > 1 && !(name in where));
  const numeric = free.filter(({ levels }) => levels.every((level) => typeof level === 'number'));
  return [...new Set([...numeric, ...free])].slice(0, 2).map(({ name }) => name);
}

function Choices(props: { experiment: Experiment; view: View; change: (next: Record<string, string | null>) => void }) {
  const { experiment, view, change } = props;
  const varied = experiment.factors.filter(({ levels }) => levels.length > 1);
  return (
    <div className="choices">
      <label className="field">
        Measure
        <select value={view.measure} onChange={(event) => change({ measure: event.currentTarget.value })}>
          {experiment.measures.map(({ name, label, unit }) => (
            <option key={name} value={name}>
              {label}
              {unit && unit !== '1' ? `, ${unit}` : ''}
            </option>
          ))}
        </select>
      </label>
      {varied.map(({ name, label, unit, levels }) => (
        <label key={name} className="field">
          <span data-quantity={name}>{label}</span>
          <select
            value={String(view.where[name] ?? '')}
            onChange={(event) => change({ [name]: event.currentTarget.value || null })}
          >
            <option value="">all {levels.length}</option>
            {levels.map((level) => (
              <option key={String(level)} value={String(level)}>
                {levelInWords(level)} {unit && unit !== '1' ? unit : ''}
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="sec">{title}</h2>
      {children}
    </section>
  );
}

function Spread({ cells, kind, wanted }: { cells: readonly ReplicatedCell[]; kind: KindName; wanted: number }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const shapes = useMemo(
    () => (width > 0 ? spreadShapes(cells, kind, wanted, width) : []),
    [cells, kind, wanted, width],
  );
  return (
    <div ref={place} className="spread">
      {width > 0 && (
        <Drawing
          label="Each run against the mean of its cell; the table has the values"
          width={width}
          height={HEIGHT}
          shapes={shapes}
        />
      )}
    </div>
  );
}

function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="scroll tall" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

function Cells(props: { slug: string; measure: string; cells: readonly ReplicatedCell[]; unit: string }) {
  const { slug, measure, cells, unit } = props;
  const quantities = useQuantities().data;
  const summaries = cells.map(({ summary }) => summary);
  const mean = alike(
    summaries.flatMap((own) => [own.mean, ...(own.ci95 ?? [])]),
    5,
  );
  const deviation = alike(
    summaries.map(({ sd }) => sd),
    3,
  );
  return (
    <Scroll label="Cells">
      <table className="list spreads">
        <thead>
          <tr>
            <th scope="col">Cell</th>
            <th scope="col" className="n">
              n
            </th>
            <th scope="col" className="n">
              <QuantityName name={measure}>{labelOf(measure, quantities)}</QuantityName>, mean <small>{unit}</small>
            </th>
            <th scope="col" className="n">
              Deviation <small>{unit}</small>
            </th>
            <th scope="col" className="n">
              95 % interval <small>{unit}</small>
            </th>
            <th scope="col">Outliers</th>
          </tr>
        </thead>
        <tbody>
          {cells.map(({ cell, factors, summary, replicates }) => {
            const outlying = replicates.filter((each) => each.outlying);
            return (
              <tr key={cell}>
                <th scope="row">
                  <Link href={`/experiments/${slug}/runs?cell=${cell}`}>{inWords(factors, null, quantities)}</Link>
                </th>
                <td className="n">{summary.n}</td>
                <td className="n value">{mean(summary.mean)}</td>
                <td className="n">{summary.sd === null ? 'not known' : deviation(summary.sd)}</td>
                <td className="n">
                  {summary.ci95 === null ? 'not known' : `${mean(summary.ci95[0])} to ${mean(summary.ci95[1])}`}
                </td>
                <td>
                  {outlying.length === 0
                    ? '–'
                    : outlying.map(({ run, replicate, value }) => (
                        <span key={run} className="outlying">
                          <Link href={`/runs/${run}`}>
                            {replicate === null ? run.slice(0, 8) : `replicate ${replicate}`}
                          </Link>{' '}
                          {mean(value)}{' '}
                        </span>
                      ))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

function Allocation({ variance }: { variance: Variance }) {
  const quantities = useQuantities().data;
  // the last of the effects is chance, and no quantity
  const isQuantity = (name: string) => quantities?.some((quantity) => quantity.name === name) ?? false;
  const named = (name: string) =>
    name.split(' × ').map((each, k) => (
      <Fragment key={each}>
        {k > 0 && ' × '}
        {isQuantity(each) ? (
          <QuantityName name={each}>{labelOf(each, quantities)}</QuantityName>
        ) : (
          labelOf(each, quantities)
        )}
      </Fragment>
    ));
  return (
    <>
      <p className="said">{varianceWords(variance, (name) => labelOf(name, quantities))}</p>
      <Scroll label="Analysis of variance">
        <table className="list spreads">
          <thead>
            <tr>
              <th scope="col">Effect of</th>
              <th scope="col" className="n">
                Share of variation <small>%</small>
              </th>
              <th scope="col" className="n">
                Degrees of freedom
              </th>
              <th scope="col" className="n">
                F
              </th>
              <th scope="col" className="n">
                By chance <small>p</small>
              </th>
            </tr>
          </thead>
          <tbody>
            {variance.effects.map((effect) => (
              <tr key={effect.name}>
                <th scope="row">{named(effect.name)}</th>
                <td className="n value">{brief(effect.share_percent, 3)}</td>
                <td className="n">{decimal(effect.degrees_of_freedom, 0)}</td>
                <td className="n">{effect.f === null ? '–' : brief(effect.f, 4)}</td>
                <td className="n">{effect.f === null && effect.p_value === null ? '–' : chance(effect.p_value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p className="note">
        Two factors with their interaction, sums of squares of type II, over {decimal(variance.n, 0)} runs
        {variance.left_out > 0 && `; ${variance.left_out} without the measure are left out`}.
      </p>
    </>
  );
}

function Plan({ plan }: { plan: ReplicationPlan }) {
  const quantities = useQuantities().data;
  const needy = plan.cells.filter(({ more }) => more > 0);
  return (
    <>
      <p className="said">{planWords(plan)}</p>
      {needy.length > 0 && (
        <Scroll label="Cells to measure again">
          <table className="list spreads">
            <thead>
              <tr>
                <th scope="col">Cell</th>
                <th scope="col" className="n">
                  Runs now
                </th>
                <th scope="col" className="n">
                  Known to <small>± %</small>
                </th>
                <th scope="col" className="n">
                  Add
                </th>
                <th scope="col">Because</th>
              </tr>
            </thead>
            <tbody>
              {needy.map(({ cell, factors, n, width_percent: width, more, needed, borrowed }) => (
                <tr key={cell}>
                  <th scope="row">{inWords(factors, null, quantities)}</th>
                  <td className="n">{n}</td>
                  <td className="n">{width === null ? 'not known' : brief(width, 3)}</td>
                  <td className="n value">{needed >= 10_000 ? 'many' : more}</td>
                  <td>
                    {needed >= 10_000
                      ? 'replicates alone may not suffice'
                      : borrowed
                        ? 'it has too few runs; its deviation is taken from the others'
                        : 'its runs spread this much'}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </>
  );
}

/** Why none are drawn. Of too many, those of one level are a press away. */
function NoReplicates(props: {
  error: Error;
  experiment: Experiment;
  where: Factors;
  change: (next: Record<string, string | null>) => void;
}) {
  const { error, experiment, where, change } = props;
  const quantities = useQuantities().data;
  const free = experiment.factors.find(({ name, levels }) => levels.length > 1 && !(name in where));
  if (!(error instanceof ApiError && error.code === 'too_many_replicates' && free))
    return (
      <Notice tone="bad" title="The replicates did not arrive">
        {reasonOf(error)}
      </Notice>
    );
  const one = free.levels[0];
  return (
    <Notice
      tone="plain"
      title="Too many replicates to draw at once"
      action={{
        label: `Those of ${inWords({ [free.name]: one }, null, quantities)}`,
        onClick: () => change({ [free.name]: String(one) }),
      }}
    >
      {error.message} Choose a level above.
    </Notice>
  );
}

/** Levels of a factor that stand in a sentence; the others are in its list above. */
const MOST_IN_SENTENCE = 6;

/** Why nothing is analysed. Of a third factor that varies, one level is a press away. */
function NoVariance(props: {
  error: Error;
  experiment: Experiment;
  pair: readonly string[];
  change: (next: Record<string, string | null>) => void;
}) {
  const { error, experiment, pair, change } = props;
  const quantities = useQuantities().data;
  const third =
    error instanceof ApiError && error.code === 'factors_vary'
      ? experiment.factors.find(({ name }) => name === error.where.field)
      : undefined;
  if (!third) return <p className="said">{reasonOf(error)}</p>;
  const short = (name: string) => shortLabel(name, labelOf(name, quantities));
  return (
    <p className="said">
      Besides {pair.map(short).join(' and ')}, the {short(third.name)} varies, and its effect would count as chance.
      Choose one:{' '}
      {third.levels.slice(0, MOST_IN_SENTENCE).map((level) => (
        <Fragment key={String(level)}>
          <button type="button" className="inline" onClick={() => change({ [third.name]: String(level) })}>
            {levelInWords(level)}
          </button>{' '}
        </Fragment>
      ))}
      {third.levels.length > MOST_IN_SENTENCE && 'or another above.'}
    </p>
  );
}

function Body({
  experiment,
  view,
  change,
}: {
  experiment: Experiment;
  view: View;
  change: (next: Record<string, string | null>) => void;
}) {
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
      <Section title="What moves it, and what is chance">
        {pair.length < 2 ? (
          <p>An analysis of variance needs two factors that vary. Let two be free above.</p>
        ) : variance.data ? (
          <Allocation variance={variance.data} />
        ) : variance.isError ? (
          <NoVariance error={variance.error} experiment={experiment} pair={pair} change={change} />
        ) : (
          <p>It is being computed.</p>
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
        {plan.data ? <Plan plan={plan.data} /> : plan.isError && <p className="said">{reasonOf(plan.error)}</p>}
      </Section>
    </>
  );
}

/** What the replicates of an experiment say: spread, outliers, where variation comes from, what is missing. */
export function ReplicatesPage({ slug }: { slug: string }) {
  const experiment = useExperiment(slug);
  const [view, change] = useView(experiment.data);
  useTitle(experiment.data && `Replicates of ${experiment.data.title}`);
  if (isMissing(experiment.error)) return <Unknown what="experiment" name={slug} all="/" />;
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
          title="The experiment did not arrive"
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
