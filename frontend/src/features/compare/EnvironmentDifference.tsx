// SPDX-License-Identifier: Apache-2.0

import type { Environment } from '../../api/types';
import { QuantityName } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { definitionOf } from '../../engine/definitions';
import { type FactRow, factRows } from './messages';

/** Facts have the names that a log gives them; some of these are quantities. */
function FactName({ name }: { name: string }) {
  const words = name.replaceAll('_', ' ').replaceAll('.', ' · ');
  return definitionOf(name) ? <QuantityName name={name}>{words}</QuantityName> : words;
}

function Rows({ rows, names }: { rows: readonly FactRow[]; names: readonly string[] }) {
  return (
    <ScrollRegion label="Facts of the environment">
      <table className="list facts-table">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values, same }) => (
            <tr key={name}>
              <th scope="row">
                <FactName name={name} />
              </th>
              {names.map((side, k) => (
                <td key={side} className={same ? undefined : 'value'}>
                  {values[k]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** In what the machines differed, as their run logs say; what is the same is folded away. */
export function EnvironmentDifference(props: { environments: readonly Environment[]; names: readonly string[] }) {
  const { environments, names } = props;
  const silent = names.filter((_, k) => environments[k].recorded === 0);
  if (silent.length > 0)
    return (
      <p>
        {silent.join(' and ')} {silent.length === 1 ? 'records' : 'record'} no environment: tables and published data
        come without one. In what the machines differed is not known.
      </p>
    );
  const rows = factRows(environments);
  const differing = rows.filter(({ same }) => !same);
  const same = rows.filter((row) => row.same);
  return (
    <>
      <p>
        {differing.length === 0
          ? 'Nothing that the logs recorded differs.'
          : `${differing.length} of ${rows.length} recorded facts differ.`}
      </p>
      {differing.length > 0 && <Rows rows={differing} names={names} />}
      {same.length > 0 && (
        <details className="fold">
          <summary>
            {same.length} {same.length === 1 ? 'fact is' : 'facts are'} the same
          </summary>
          <Rows rows={same} names={names} />
        </details>
      )}
    </>
  );
}
