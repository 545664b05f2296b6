// SPDX-License-Identifier: Apache-2.0
// The same cells for those who do not see the plot.
import { memo } from 'react';
import { AfterPaint } from '../../components/AfterPaint';
import { decimal, digitsFor, withHalf } from '../../plots/number';
import { type Axis, levelAt } from '../../state/layout';
import type { View } from '../../state/view';
import { shortName, titleWithUnit } from './figure/messages';

/** Nobody listens to more; all of them would be most of the page. */
const MOST_ROWS = 100;

const columnTitle = (axis: Axis): string => (axis.unit ? `${shortName(axis)}, ${axis.unit}` : shortName(axis));

function Cells({ view }: { view: View }) {
  const { x, y } = view.layout;
  const digits = digitsFor(view.values[1] - view.values[0]);
  return (
    <table>
      <caption>
        {titleWithUnit(view.measure)}
        {view.points.length > MOST_ROWS &&
          `: ${MOST_ROWS} of ${decimal(view.points.length, 0)} cells. Export, CSV has all of them.`}
      </caption>
      <thead>
        <tr>
          {y && <th scope="col">{columnTitle(y)}</th>}
          {x && <th scope="col">{columnTitle(x)}</th>}
          <th scope="col">Mean</th>
          <th scope="col">95 % interval, half</th>
          <th scope="col">Runs</th>
        </tr>
      </thead>
      <tbody>
        {view.points.slice(0, MOST_ROWS).map((p) => {
          const words = withHalf(p.mean, p.half, digits);
          return (
            <tr key={p.cell.id}>
              {y && <td>{levelAt(y, p.y)}</td>}
              {x && <td>{levelAt(x, p.x)}</td>}
              <td>{words.mean}</td>
              <td>
                {words.half === null
                  ? 'not known'
                  : `${words.half.slice(2)}${p.from === 'residuals' ? ', pooled' : ''}`}
              </td>
              <td>{p.n}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export const CellTable = memo(function CellTable({ view }: { view: View }) {
  if (view.points.length === 0) return null;
  return (
    // a table is as wide as its columns, hidden or not: what holds it cuts it off
    <div className="sr">
      <AfterPaint>
        <Cells view={view} />
      </AfterPaint>
    </div>
  );
});
