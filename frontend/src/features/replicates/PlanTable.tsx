// SPDX-License-Identifier: Apache-2.0
// Which cells to measure again, and how often.
import { useQuantities } from '../../api/queries';
import type { ReplicationPlan } from '../../api/types';
import { inWords } from '../../components/factorWords';
import { ScrollRegion } from '../../components/ScrollRegion';
import { brief } from '../../plots/number';
import { planWords } from './messages';

export function PlanTable({ plan }: { plan: ReplicationPlan }) {
  const quantities = useQuantities().data;
  const needy = plan.cells.filter(({ more }) => more > 0);
  return (
    <>
      <p className="said">{planWords(plan)}</p>
      {needy.length > 0 && (
        <ScrollRegion tall label="Cells to measure again">
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
        </ScrollRegion>
      )}
    </>
  );
}
