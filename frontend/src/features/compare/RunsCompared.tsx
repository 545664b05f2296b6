// SPDX-License-Identifier: Apache-2.0

import { useMemo } from 'react';
import { Link } from 'wouter';
import { useContentsOf, useRunEnvironments, useRunsById } from '../../api/comparisons';
import { ApiError, reasonOf } from '../../api/errors';
import { useQuantities } from '../../api/queries';
import type { RunDetail } from '../../api/types';
import { inWords, labelOf } from '../../components/factorWords';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { Section } from '../../components/Section';
import { Timeline } from '../../layers/Timeline';
import { alike } from '../../plots/number';
import { isLog } from '../runs/messages';
import { letterOf } from './address';
import { EnvironmentDifference } from './EnvironmentDifference';
import { change } from './messages';

const POINTS = 200;

function Measures({ runs }: { runs: readonly RunDetail[] }) {
  const quantities = useQuantities().data;
  const order = quantities?.map(({ name }) => name) ?? [];
  const names = [...new Set(runs.flatMap(({ measures }) => Object.keys(measures)))].sort(
    (a, b) => order.indexOf(a) - order.indexOf(b),
  );
  return (
    <ScrollRegion label="Measures of the runs">
      <table className="list facts-table">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            {runs.map((run, k) => (
              <th key={run.id} scope="col" className="n">
                {letterOf(k)}
              </th>
            ))}
            <th scope="col">Unit</th>
            {runs.slice(1).map((run, k) => (
              <th key={run.id} scope="col">
                {letterOf(k + 1)} against A
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const values = runs.map(({ measures }) => measures[name]?.value);
            const words = alike(values, 5);
            return (
              <tr key={name}>
                <th scope="row">
                  <QuantityName name={name}>{labelOf(name, quantities)}</QuantityName>
                </th>
                {values.map((value, k) => (
                  <td key={runs[k].id} className="n value">
                    {value === undefined ? <small>not available</small> : words(value)}
                  </td>
                ))}
                <td>{quantities?.find((quantity) => quantity.name === name)?.unit}</td>
                {values.slice(1).map((value, k) => (
                  <td key={runs[k + 1].id}>
                    {value !== undefined && values[0] !== undefined && values[0] > 0 ? change(value / values[0]) : '–'}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const gone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Single runs beside each other: over time, in their measures, in their machines. Without intervals: one run has none. */
export function RunsCompared({ ids }: { ids: readonly string[] }) {
  const quantities = useQuantities().data;
  const asked = useRunsById(ids);
  const environments = useRunEnvironments(ids);
  const runs = asked.flatMap(({ data }) => (data ? [data] : []));
  const logged = runs.length === ids.length && runs.every(isLog);
  const contents = useContentsOf(logged ? ids : [], POINTS);
  const failed = asked.findIndex(({ isError }) => isError);
  const known = contents.flatMap(({ data }) => (data ? [data] : []));
  const timed = useMemo(() => known.map((each, k) => ({ name: letterOf(k), contents: each })), [known]);
  if (failed >= 0)
    return (
      <Notice tone="bad" title={`Couldn’t load run ${ids[failed]}`}>
        {gone(asked[failed].error)
          ? 'This store has no such run: it was stored elsewhere, or removed with its experiment.'
          : reasonOf(asked[failed].error)}
      </Notice>
    );
  if (runs.length < ids.length) return <LoadingLine label="Loading the runs" />;
  const facts = environments.flatMap(({ data }) => (data ? [data] : []));
  const names = runs.map((_, k) => letterOf(k));
  return (
    <>
      <ol className="run-names">
        {runs.map((run, k) => (
          <li key={run.id}>
            <b>{letterOf(k)}</b>{' '}
            <Link href={`/runs/${run.id}`}>{inWords(run.factors, run.replicate, quantities) || run.id}</Link>
            <small> {run.experiment}</small>
          </li>
        ))}
      </ol>
      <p className="said">
        Single runs: how far they would lie apart by chance is not known. Compare their experiments for intervals.
      </p>
      <Section title="Over time">
        {logged && timed.length === runs.length ? (
          <Timeline runs={timed} label="The runs over time" />
        ) : (
          <p>
            {!logged
              ? 'Not every one of these runs has a log; a row of a table has no course.'
              : contents.some(({ isError }) => isError)
                ? 'A log could not be read.'
                : 'The logs are being read.'}
          </p>
        )}
      </Section>
      <Section title="Measures">
        <Measures runs={runs} />
      </Section>
      {facts.length === runs.length && (
        <Section title="Environment">
          <EnvironmentDifference environments={facts} names={names} />
        </Section>
      )}
    </>
  );
}
