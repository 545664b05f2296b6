// SPDX-License-Identifier: Apache-2.0

import { useQuantities } from '../../api/queries';
import type { CellMeasure, Comparison } from '../../api/types';
import { QuantityName } from '../../components/QuantityName';
import { brief, decimal, digitsFor, plusMinus } from '../../plots/number';
import { settingWords } from './panels';
import { outcome, span } from './words';

function mean({ mean: value, ci95, n }: CellMeasure): string {
  const half = ci95 ? (ci95[1] - ci95[0]) / 2 : null;
  const digits = digitsFor(Math.abs(value));
  return half === null ? `${brief(value)} (${n})` : `${decimal(value, digits)} ${plusMinus(half, digits)} (${n})`;
}

/** Every setting that both have, with what can be said of it. */
export function CellsTable({ comparison, a, b }: { comparison: Comparison; a: string; b: string }) {
  const quantities = useQuantities().data;
  const { unit } = comparison.measure;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="scroll tall" role="region" aria-label={`Settings of ${a} and ${b}`} tabIndex={0}>
      <table className="list facts-table">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col" className="n">
              {a}
              <small>
                <QuantityName name={comparison.measure.name}>{unit || comparison.measure.label}</QuantityName> (runs)
              </small>
            </th>
            <th scope="col" className="n">
              {b}
              <small>{unit} (runs)</small>
            </th>
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
          {comparison.cells.map((cell) => (
            <tr key={JSON.stringify(cell.factors)} className={cell.resolved ? undefined : 'open'}>
              <th scope="row">{settingWords(cell.factors, quantities) || 'the only one'}</th>
              <td className="n">{mean(cell.a)}</td>
              <td className="n">{mean(cell.b)}</td>
              <td className="n value">{cell.ratio.toFixed(3)}</td>
              <td className="n">{span(cell.simultaneous_ci95)}</td>
              <td className="value">{outcome(cell)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
