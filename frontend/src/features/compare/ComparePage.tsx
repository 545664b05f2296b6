// SPDX-License-Identifier: Apache-2.0

import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { type Side, useCellsOfSides, useComparisons, useEnvironments } from '../../api/comparisons';
import { tryAgain } from '../../api/copy';
import { ApiError, isMissing, reasonOf } from '../../api/errors';
import { useExperiments, useQuantities } from '../../api/queries';
import type { Cells, Quantity } from '../../api/types';
import { labelOf, levelInWords, shortLabel } from '../../components/factorWords';
import { LoadingLine } from '../../components/Loading';
import { lazyPart } from '../../components/lazyPart';
import { Notice } from '../../components/Notice';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import { Drawing, useWidth } from '../../layers/Drawing';
import { currentAddress } from '../../state/address';
import { useFigureExport } from '../share/figureExport';
import { type Compared, letterOf, readAddress, toAddress } from './address';
import { CellsTable } from './CellsTable';
import { EnvironmentDifference } from './EnvironmentDifference';
import { FILE_WIDTH, svgOf } from './export';
import { type Axes, compareShapes, hasRatios, type Look, MOST_PANELS } from './figure';
import { Incomparable } from './Incomparable';
import { csvOf, nothingShared, summary } from './messages';
import { Offers } from './Offers';
import { apartFactors, type Plan, planOf, settingWords } from './panels';
import { RunsCompared } from './RunsCompared';
import { Sides } from './Sides';
import { StandIns } from './StandIns';
import { shownSides } from './standIns';
import './compare.css';

const DrawnTogether = lazyPart('The figures of both', async () => (await import('./DrawnTogether')).DrawnTogether);

/** What is compared stands in the address, all of it. */
function useCompared(): [Compared, (next: Partial<Compared>) => void] {
  const [params, setParams] = useSearchParams();
  const key = params.toString();
  const compared = useMemo(() => readAddress(new URLSearchParams(key)), [key]);
  const change = (next: Partial<Compared>) => setParams(toAddress({ ...compared, ...next }), { replace: true });
  return [compared, change];
}

/** Measures that every side has, in the order of the first one's menu. */
function sharedMeasures(cells: readonly (Cells | undefined)[], menu: readonly string[]): string[] {
  const each = cells.map((own) => new Set(own?.cells.flatMap(({ measures }) => Object.keys(measures))));
  return [...new Set([...menu, ...(each[0] ?? [])])].filter((name) => each.every((own) => own.has(name)));
}

function titleOf(name: string, quantities: readonly Quantity[] | undefined): string {
  const unit = quantities?.find((quantity) => quantity.name === name)?.unit;
  return `${labelOf(name, quantities)}${unit && unit !== '1' ? `, ${unit}` : ''}`;
}

interface Art {
  readonly plan: Plan;
  readonly titles: readonly string[];
  readonly looks: readonly Look[];
  readonly axes: Axes;
}

function artOf(plan: Plan, looks: readonly Look[], measure: string, quantities: readonly Quantity[] | undefined): Art {
  return {
    plan,
    looks,
    titles: plan.panels.map(({ factors }) => settingWords(factors, quantities)),
    axes: {
      of: { measure, x: plan.x ?? '' },
      measure: titleOf(measure, quantities),
      x: plan.x === null ? '' : titleOf(plan.x, quantities),
      preferLog: /delay|rate/.test(plan.x ?? ''),
    },
  };
}

const wordsOf = ({ axes, looks }: Art): string =>
  `${axes.measure}: ${looks.map(({ letter, kind }) => `${letter} ${kind}`).join(', ')}`;

function Figure({ art }: { art: Art }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const { plan, titles, looks, axes } = art;
  const picture = useMemo(
    () => compareShapes(plan.panels, titles, looks, axes, Math.max(280, width)),
    [plan, titles, looks, axes, width],
  );
  return (
    <div ref={place}>
      {width > 0 && (
        <Drawing
          label={`${wordsOf(art)}. The table below has the values.`}
          width={width}
          height={picture.height}
          shapes={picture.shapes}
        />
      )}
      {plan.panels.length > MOST_PANELS && (
        <p className="note">
          {plan.panels.length - MOST_PANELS} further settings are in the table only. Hold a side to a level to see them.
        </p>
      )}
    </div>
  );
}

/** A side whose cells did not come: which one, why, and the ways on. */
function MissingSide(props: { letter: string; error: unknown; again: () => void; takeOut: (() => void) | null }) {
  const { letter, error, again, takeOut } = props;
  const title = `${letter} is not available`;
  if (!(error instanceof ApiError))
    return (
      <Notice tone="bad" title={title} {...tryAgain(error, again)}>
        {reasonOf(error)}
      </Notice>
    );
  return (
    <Notice
      tone="bad"
      title={title}
      action={takeOut === null ? undefined : { label: `remove ${letter}`, onClick: takeOut }}
    >
      {isMissing(error) ? error.message : reasonOf(error)} Choose another one for it above
      {takeOut === null ? '.' : ', or'}
    </Notice>
  );
}

function Experiments({ compared, change }: { compared: Compared; change: (next: Partial<Compared>) => void }) {
  const quantities = useQuantities().data;
  const experiments = useExperiments().data ?? [];
  const asked = useCellsOfSides(compared.sides);
  const all = asked.map(({ data }) => data);
  const loaded = all.every((each) => each !== undefined);
  const menu = experiments.find(({ slug }) => slug === compared.sides[0]?.slug)?.measures ?? [];
  // no runs, no machines
  const someEmpty = all.some((own) => own?.cells.length === 0);
  const measures = loaded ? sharedMeasures(all, menu) : [];
  const wanted = [compared.measure, ...measures].find((name) => name !== null && measures.includes(name));
  const measure = wanted ?? undefined;
  const { sides, cells, standIns } = shownSides(
    compared.sides,
    all.map((own) => own?.cells ?? []),
    measure,
  );
  const comparisons = useComparisons(sides, sides.length > 1 ? measure : undefined);
  const environments = useEnvironments(sides);
  const answers = comparisons.map(({ data }) => data);
  const kindOf = (slug: string) => experiments.find((each) => each.slug === slug)?.kind ?? 'measured';
  const levelsWords = (text: string) => text.split(',').map(levelInWords).join(' or ');
  const sideWords = ({ slug, where }: Side): string =>
    [experiments.find((each) => each.slug === slug)?.title ?? slug, ...Object.values(where).map(levelsWords)].join(
      ', ',
    );
  const ready = loaded && measure !== undefined && experiments.length > 0;
  // the answers are new arrays at every rendering: what they say is what counts
  const stamp = JSON.stringify([
    sides,
    asked.map(({ dataUpdatedAt }) => dataUpdatedAt),
    comparisons.map(({ dataUpdatedAt }) => dataUpdatedAt),
    experiments.length,
  ]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `stamp` stands for them
  const art = useMemo(() => {
    if (!ready || measure === undefined) return null;
    const known = sides.map(({ slug }, k) => ({ kind: kindOf(slug), cells: cells[k] }));
    const looks = known.map(({ kind }, k) => ({ letter: letterOf(k), kind }));
    return artOf(planOf(known, answers, measure), looks, measure, quantities);
  }, [stamp, measure, ready, quantities]);
  const missing = asked.some(({ isError }) => isError);
  const facts = environments.flatMap(({ data }) => (data ? [data] : []));
  const unknown = environments.find(({ isError }) => isError);
  const shown = comparisons.flatMap(({ data }, k) => (data ? [{ comparison: data, name: letterOf(k + 1) }] : []));
  useFigureExport(
    art && measure
      ? {
          title: `compare-${measure}`,
          svg: () =>
            svgOf(compareShapes(art.plan.panels, art.titles, art.looks, art.axes, FILE_WIDTH), {
              measure: art.axes.measure,
              description: wordsOf(art),
              sides: sides.map((side, k) => `${letterOf(k)} ${sideWords(side)}, ${kindOf(side.slug)}`),
            }),
          csv: () => csvOf(shown),
          json: () =>
            JSON.stringify({ source: currentAddress(), comparisons: shown.map((each) => each.comparison) }, null, 1),
        }
      : null,
  );

  return (
    <>
      <Sides sides={compared.sides} standIns={standIns} onChange={(next) => change({ sides: next })} />
      {measures.length > 0 && (
        <label className="field measure">
          Measure
          <select value={measure} onChange={(event) => change({ measure: event.currentTarget.value })}>
            {measures.map((name) => (
              <option key={name} value={name}>
                {titleOf(name, quantities)}
              </option>
            ))}
          </select>
        </label>
      )}
      {loaded && sides.length > 1 && <DrawnTogether slugs={sides.map(({ slug }) => slug)} />}
      {asked.map(
        ({ isError, error, refetch }, k) =>
          isError && (
            <MissingSide
              // biome-ignore lint/suspicious/noArrayIndexKey: a side is its letter
              key={k}
              letter={letterOf(k)}
              error={error}
              again={() => void refetch()}
              takeOut={sides.length > 1 ? () => change({ sides: compared.sides.filter((_, at) => at !== k) }) : null}
            />
          ),
      )}
      {comparisons.map(
        ({ isError, error }, k) =>
          isError && (
            <Incomparable
              // biome-ignore lint/suspicious/noArrayIndexKey: a side is its letter
              key={k}
              place={k + 1}
              sides={sides}
              apart={apartFactors(cells[0], cells[k + 1])[0] ?? null}
              reason={reasonOf(error)}
              onChange={(next) => change({ sides: next })}
            />
          ),
      )}
      {!loaded && !missing && <LoadingLine label="Loading the cells" />}
      {loaded && measures.length === 0 && sides.length > 0 && (
        <Notice tone="plain" title={nothingShared(cells.map((own) => own.length))}>
          Choose other experiments, or other levels.
        </Notice>
      )}
      {sides.length === 0 && experiments.length > 0 && <Offers experiments={experiments} />}
      {sides.length === 1 && <p className="said">Add another experiment, or the same one held to another level.</p>}
      <StandIns standIns={standIns} sides={compared.sides} onChange={(next) => change({ sides: next })} />
      <div className="said" aria-live="polite">
        {shown.map(({ comparison, name }) => (
          <p key={name}>{summary(comparison, letterOf(0), name)}</p>
        ))}
      </div>
      {art && (
        <Section title="Side by side">
          {art.plan.differing.length > 0 && (
            <p>
              Throughout, they differ in{' '}
              {art.plan.differing.map((name) => shortLabel(name, labelOf(name, quantities))).join(' and ')}:{' '}
              {sides
                .map((_, k) => {
                  const own = cells[k][0]?.factors ?? {};
                  return `${letterOf(k)} ${art.plan.differing.map((name) => levelInWords(own[name] ?? 'none')).join(', ')}`;
                })
                .join('; ')}
              .
            </p>
          )}
          <Figure art={art} />
          <p className="note">
            {hasRatios(art.plan.panels)
              ? 'Whiskers: 95 % t interval of the replicates above; below, of the ratio, for all settings together. Hollow: not significantly different, or nothing known of it; above, a single run.'
              : 'Whiskers: 95 % t interval of the replicates. Hollow: a single run.'}
          </p>
        </Section>
      )}
      {shown.map(({ comparison, name }) => (
        <Section key={name} title={`${name} against ${letterOf(0)}, setting by setting`}>
          <CellsTable comparison={comparison} a={letterOf(0)} b={name} />
        </Section>
      ))}
      {sides.length > 1 && facts.length === sides.length && !someEmpty && (
        <Section title="Environment">
          <EnvironmentDifference environments={facts} names={sides.map((_, k) => letterOf(k))} />
        </Section>
      )}
      {sides.length > 1 && unknown && !missing && (
        <Section title="Environment">
          <p>In what the machines differed is not known here. {reasonOf(unknown.error)}</p>
        </Section>
      )}
    </>
  );
}

/** Experiments beside each other, or levels of one, or single runs. */
export function ComparePage() {
  useTitle('Compare');
  const [compared, change] = useCompared();
  const ofRuns = compared.runs.length > 0;
  return (
    <div className="page compare">
      <header className="lede">
        <h1>Compare {ofRuns ? 'runs' : 'experiments'}</h1>
        <p>
          {ofRuns
            ? 'Single runs over their time, their measures and their machines.'
            : 'On shared axes, with the ratio at every setting they share, and how sure it is.'}{' '}
          <Link href="/">All experiments</Link>
        </p>
      </header>
      {ofRuns ? <RunsCompared ids={compared.runs} /> : <Experiments compared={compared} change={change} />}
    </div>
  );
}
