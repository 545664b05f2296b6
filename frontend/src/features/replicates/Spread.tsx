// SPDX-License-Identifier: Apache-2.0
// How the replicates of each cell spread: a picture, a table, and why there may be none.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { ApiError, reasonOf } from '../../api/errors';
import { useQuantities } from '../../api/queries';
import type { Experiment, Kind, ReplicatedCell } from '../../api/types';
import { inWords } from '../../components/factorWords';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { Drawing, useWidth } from '../../layers/Drawing';
import { alike } from '../../plots/number';
import { type Change, type Chosen, freeOf } from './chosen';
import { HEIGHT, spreadShapes } from './figure';

export function Spread({ cells, kind, wanted }: { cells: readonly ReplicatedCell[]; kind: Kind; wanted: number }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const shapes = useMemo(
    () => (width > 0 ? spreadShapes(cells, kind, wanted, width) : []),
    [cells, kind, wanted, width],
  );
  return (
    <div ref={place} className="spread">
      {shapes.length > 0 && (
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

export function Cells(props: { slug: string; measure: string; cells: readonly ReplicatedCell[]; unit: string }) {
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
    <ScrollRegion tall label="Cells">
      <table className="list spreads">
        <thead>
          <tr>
            <th scope="col">Cell</th>
            <th scope="col" className="n">
              n
            </th>
            <th scope="col" className="n">
              <QuantityName name={measure}>Mean</QuantityName> <small>{unit}</small>
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
    </ScrollRegion>
  );
}

/** Why none are drawn. Of too many, those of one level are a press away. */
export function NoReplicates(props: { error: Error; experiment: Experiment; where: Chosen['where']; change: Change }) {
  const { error, experiment, where, change } = props;
  const quantities = useQuantities().data;
  const [free] = freeOf(experiment, where);
  if (!(error instanceof ApiError && error.code === 'too_many_replicates' && free))
    return (
      <Notice tone="bad" title="Couldn’t load the replicates">
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
