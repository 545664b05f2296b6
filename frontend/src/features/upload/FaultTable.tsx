// SPDX-License-Identifier: Apache-2.0
import type { Row } from './refusal';

/** Every fault of a table with its row and column. */
export function FaultTable({ rows }: { rows: readonly Row[] }) {
  return (
    <table className="faults">
      <thead>
        <tr>
          <th scope="col">Row</th>
          <th scope="col">Column</th>
          <th scope="col">Fault</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.row} ${row.column} ${row.message}`}>
            <td>{row.row || '–'}</td>
            <td>{row.column ? <code>{row.column}</code> : '–'}</td>
            <td>
              {row.message} {row.advice && <small>{row.advice}</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
