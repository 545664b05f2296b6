// SPDX-License-Identifier: Apache-2.0

import { useQuantities } from '../../api/queries';
import type { CellMeasure, Comparison } from '../../api/types';
import { QuantityName } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { withHalf } from '../../plots/number';
import { decimalsOf, outcome, span, spanDecimals } from './messages';
import { settingWords } from './panels';

/** The mean, half of its interval and the runs behind it: three columns, so that each is read down as well as across. */
function Measured({ of: { mean, ci95, n }, digits }: { of: CellMeasure; digits: number }) {
  // runs that are all equal tell nothing of how far others would lie apart
  const half = ci95 && ci95[1] > ci95[0] ? (ci95[1] - ci95[0]) / 2 : null;
  const said = withHalf(mean, half, digits);
  return (
    <>
      <td className="n">{said.mean}</td>
      <td className="n half">{said.half ?? '–'}</td>
      <td className="n runs">{n}</td>
    </>
  );
}

/** As many as are seen at once. */
const ROWS_IN_SIGHT = 12;

/** Every setting that both have, with what can be said of it. */
export function CellsTable({ comparison, a, b }: { comparison: Comparison; a: string; b: string }) {
  const quantities = useQuantities().data;
  const { cells } = comparison;
  const { name, unit, label } = comparison.measure;
  const digits = [decimalsOf(cells.map((cell) => cell.a)), decimalsOf(cells.map((cell) => cell.b))];
  const percents = spanDecimals(cells.map((cell) => cell.simultaneous_ci95));
  const table = (
    <ScrollRegion label={`Settings of ${a} and ${b}`} tall>
      <table className="list facts-table">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            {[a, b].map((side) => (
              <th key={side} scope="colgroup" colSpan={3} className="n">
                {side}{' '}
                <small>
                  <QuantityName name={name}>{unit || label}</QuantityName>, 95 %, runs
                </small>
              </th>
            ))}
            <th scope="col" className="n">
              {b} / {a}
            </th>
            <th scope="col" className="n">
              Interval <small>95 % for all together</small>
            </th>
            <th scope="col">{b} is</th>
          </tr>
        </thead>
        <tbody>
          {cells.map((cell) => (
            <tr key={JSON.stringify(cell.factors)} className={cell.resolved ? undefined : 'open'}>
              <th scope="row">{settingWords(cell.factors, quantities) || 'the only one'}</th>
              <Measured of={cell.a} digits={digits[0]} />
              <Measured of={cell.b} digits={digits[1]} />
              <td className="n value">{cell.ratio.toFixed(3)}</td>
              <td className="n">{span(cell.simultaneous_ci95, percents)}</td>
              <td className="value">{outcome(cell, percents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
  return (
    <>
      {table}
      {cells.length > ROWS_IN_SIGHT && <p className="note">{cells.length} settings: the table scrolls.</p>}
    </>
  );
}
