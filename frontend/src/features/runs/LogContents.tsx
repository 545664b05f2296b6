// SPDX-License-Identifier: Apache-2.0
// What a log shows of its run. The same for a log that the server keeps and for one that was only opened.

import { useMemo } from 'react';
import type { Contents } from '../../api/types';
import { ScrollRegion } from '../../components/ScrollRegion';
import { Section } from '../../components/Section';
import { Drawing, useWidth } from '../../layers/Drawing';
import { Timeline } from '../../layers/Timeline';
import { HEIGHT, histogramShapes } from '../../plots/histogram';
import { brief, decimal } from '../../plots/number';
import { countersOf, instanceInWords } from './counters';
import './log.css';

const whole = (value: number | null): string => (value === null ? 'not known' : decimal(value, 0));

function About({ contents }: { contents: Contents }) {
  const { records, samples_per_step: every, edges_s: edges, span_s: span } = contents;
  const points = Math.max(0, edges.length - 1);
  const [from, to] = contents.window_s;
  return (
    <p className="note">
      {decimal(records, 0)} records over {span === null ? 'no time' : `${brief(span)} s`}
      {points > 0 && points < records - 1 && (
        <>
          , drawn in {points} stretches: the line is their mean, the band the least and the most{' '}
          {every > 1 ? `over every ${every} records` : 'from one record to the next'}
        </>
      )}
      .{' '}
      {from === null && to === null
        ? 'No window is marked: the measures span all records.'
        : 'Measures are made of the window; what lies outside is veiled.'}
    </p>
  );
}

function Counters({ contents }: { contents: Contents }) {
  const { instances, rows } = countersOf(contents.counters);
  if (rows.length === 0) return <p>The window holds too few records to count over.</p>;
  return (
    <>
      <ScrollRegion label="Counters over the window">
        <table className="list counters">
          <thead>
            <tr>
              <th scope="col">Counter</th>
              <th scope="col" className="n">
                Total
              </th>
              {instances.map((name) => (
                <th key={name} scope="col" className="n">
                  {instanceInWords(name)}
                </th>
              ))}
              <th scope="col">Unit</th>
              <th scope="col">Read from</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <code>{row.name}</code>
                </th>
                <td className="n value">{row.total === undefined ? <small>not counted</small> : whole(row.total)}</td>
                {instances.map((name) => (
                  <td key={name} className="n">
                    {name in row.by ? whole(row.by[name]) : '–'}
                  </td>
                ))}
                <td>{row.unit === '1' ? '' : row.unit}</td>
                <td>{row.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="note">
        Over the window. “Not known”: the counter was reset in it.
        {contents.counters_left_out > 0 && ` ${contents.counters_left_out} further counters are not listed.`}
      </p>
    </>
  );
}

function Statistics({ statistics }: { statistics: NonNullable<Contents['statistics']> }) {
  const { missing, changed, unchanged, left_out: leftOut } = statistics;
  if (missing)
    return (
      <p>
        The log has no {missing === 'ethtool_statistics_start' ? 'reading at the start' : 'reading at the end'}, so
        there is no difference.
      </p>
    );
  return (
    <>
      {changed.length > 0 && (
        <ScrollRegion label="Statistics of the interface that changed" tall>
          <table className="list counters">
            <thead>
              <tr>
                <th scope="col">Statistic</th>
                <th scope="col" className="n">
                  At the start
                </th>
                <th scope="col" className="n">
                  At the end
                </th>
                <th scope="col" className="n">
                  Difference
                </th>
              </tr>
            </thead>
            <tbody>
              {changed.map(({ name, start, end, difference }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td className="n">{whole(start)}</td>
                  <td className="n">{whole(end)}</td>
                  <td className="n value">{whole(difference)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      <p className="note">
        {changed.length} changed, {unchanged} did not.{leftOut > 0 && ` ${leftOut} that changed are not listed.`}
      </p>
    </>
  );
}

const RANKED = ['min', 'p50', 'p90', 'p99', 'p999', 'p99.9', 'max'];

function Latency({ latency }: { latency: NonNullable<Contents['latency']> }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const known = Object.entries(latency.latency_us);
  const { histogram } = latency;
  const shapes = useMemo(
    () =>
      histogram && width > 0
        ? histogramShapes(
            histogram,
            known.filter(([name]) => RANKED.includes(name)),
            width,
          )
        : [],
    [histogram, width, known],
  );
  return (
    <div ref={place}>
      {histogram && width > 0 && (
        <Drawing
          label="Histogram of latencies; the table has the quantiles"
          width={width}
          height={HEIGHT}
          shapes={shapes}
        />
      )}
      <dl className="quantiles">
        {known.map(([name, us]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{brief(us)} µs</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Results({ results }: { results: Contents['results'] }) {
  if (results.length === 0) return null;
  return (
    <p className="note">
      The log keeps{' '}
      {results
        .map(
          ({ name, bytes, exit_status }) =>
            `${name.replaceAll('_', ' ')} (${decimal(bytes, 0)} bytes${exit_status === null ? '' : `, exit status ${exit_status}`})`,
        )
        .join(', ')}
      .
    </p>
  );
}

export function LogContents({ name, contents }: { name: string; contents: Contents }) {
  const runs = useMemo(() => [{ name, contents }], [name, contents]);
  return (
    <>
      <Section title="Over time">
        <About contents={contents} />
        <Timeline runs={runs} label={`${name} over time`} />
      </Section>
      <Section title="Counters, queue by queue">
        <Counters contents={contents} />
      </Section>
      {contents.statistics && (
        <Section title="The interface’s own statistics, end against start">
          <Statistics statistics={contents.statistics} />
        </Section>
      )}
      {contents.latency && (
        <Section title="Latency that the workload saw in its whole time" of="latency_us">
          <Latency latency={contents.latency} />
        </Section>
      )}
      <Results results={contents.results} />
    </>
  );
}
