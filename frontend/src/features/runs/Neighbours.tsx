// SPDX-License-Identifier: Apache-2.0

import { Link } from 'wouter';
import { useExperiment, useQuantities, useRuns } from '../../api/queries';
import type { RunDetail } from '../../api/types';
import { labelOf } from '../../components/factorWords';
import { QuantityName } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { Section } from '../../components/Section';
import { chosenFew, numbersOf, stateOf } from './messages';

const MOST = 50;

/** The replicates of the same cell, this one among them. */
export function Neighbours({ run }: { run: RunDetail }) {
  const experiment = useExperiment(run.experiment);
  const quantities = useQuantities().data;
  const found = useRuns(run.experiment, { limit: MOST, offset: 0, cell: run.cell }).data;
  if (!found || found.total < 2 || !experiment.data) return null;
  const measures = chosenFew(experiment.data.measures, experiment.data.default_view?.measure);
  const runs = [...found.runs].sort((a, b) => (a.replicate ?? Infinity) - (b.replicate ?? Infinity));
  const write = new Map(measures.map((name) => [name, numbersOf(runs.map((each) => each.measures[name]?.value))]));
  const others = found.runs.filter(({ id, status }) => id !== run.id && status === 'current');
  return (
    <Section title="The same cell’s replicates" className="samecell">
      <ScrollRegion label="Replicates of this cell">
        <table className="list counters">
          <thead>
            <tr>
              <th scope="col">Replicate</th>
              {measures.map((name) => (
                <th key={name} scope="col" className="n">
                  <QuantityName name={name}>{labelOf(name, quantities)}</QuantityName>
                  <small>{quantities?.find((quantity) => quantity.name === name)?.unit || '\u00a0'}</small>
                </th>
              ))}
              <th scope="col">State</th>
              <th scope="col">Against this one</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((each) => (
              <tr key={each.id} className={each.id === run.id ? 'here' : undefined}>
                <td>
                  {each.id === run.id ? (
                    <b>{each.replicate ?? 'this'}</b>
                  ) : (
                    <Link href={`/runs/${each.id}`}>{each.replicate ?? each.id.slice(0, 8)}</Link>
                  )}
                </td>
                {measures.map((name) => (
                  <td key={name} className="n value">
                    {each.measures[name] ? write.get(name)?.(each.measures[name].value) : <small>not available</small>}
                    {each.outlying?.includes(name) && <small className="outlying"> outlier</small>}
                  </td>
                ))}
                <td>{stateOf(each)}</td>
                <td>
                  {each.id === run.id ? 'this run' : <Link href={`/compare?runs=${run.id},${each.id}`}>Compare</Link>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="row acts">
        <Link className="quiet small" href={`/experiments/${run.experiment}/runs?cell=${run.cell}`}>
          {found.total > MOST ? `All ${found.total} runs of the cell` : 'In the list of runs'}
        </Link>
        {others.length > 0 && (
          <Link className="quiet small" href={`/experiments/${run.experiment}/replicates`}>
            How the replicates spread
          </Link>
        )}
      </p>
    </Section>
  );
}
