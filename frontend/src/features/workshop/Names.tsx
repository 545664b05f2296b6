// SPDX-License-Identifier: Apache-2.0
import { Mathematics } from '../../components/Mathematics';
import { Named } from '../../components/QuantityName';
import { Rich } from '../../components/Rich';
import { definitionOf } from '../../engine/definitions';
import type { OwnModel } from '../../state/userModel';

/** What the model takes and gives: names, symbols, units, ranges. */
export function Names({ own }: { own: OwnModel }) {
  const rows = [
    ...own.model.inputs.map((q) => ({ q, role: 'input', range: q.typical })),
    ...own.model.parameters.map((q) => ({ q, role: 'parameter', range: [q.lo, q.hi] as const })),
    ...own.model.outputs.map((q) => ({ q, role: 'output', range: null })),
  ];
  return (
    <details className="names">
      <summary>Names, units and ranges</summary>
      <table className="beside">
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">symbol</th>
            <th scope="col">is</th>
            <th scope="col">unit</th>
            <th scope="col">range</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ q, role, range }) => (
            <tr key={`${role} ${q.name}`}>
              <th scope="row">
                <Named name={definitionOf(q.name)?.name}>
                  <code>{q.name}</code>
                </Named>
                {!definitionOf(q.name) && q.description && <small>{q.description}</small>}
              </th>
              <td>
                <Mathematics className="sym" html={q.symbolMath} />
              </td>
              <td>{role}</td>
              <td>
                <Rich>{q.unit || '1'}</Rich>
              </td>
              <td>{range ? `${range[0]} to ${range[1]}` : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
