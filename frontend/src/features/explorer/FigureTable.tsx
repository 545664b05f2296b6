// SPDX-License-Identifier: Apache-2.0
// What a figure other than the map shows, for those who do not see it. It follows the sliders once they rest.
import { useEffect, useState } from 'react';
import { alike } from '../../plots/number';
import { thetaOf } from '../../state/fit';
import { startWork } from '../../state/pendingWork';
import { useExplorer } from './context';
import { figureData } from './figureData';

const QUIET_MS = 300;

export default function FigureTable() {
  const { view, store } = useExplorer();
  const [state, setState] = useState(store.get);
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    let over = (): void => undefined;
    const rest = () => {
      clearTimeout(waiting);
      over();
    };
    const stop = store.subscribe(() => {
      rest();
      over = startWork();
      waiting = setTimeout(() => {
        setState(store.get());
        over();
      }, QUIET_MS);
    });
    return () => {
      rest();
      stop();
    };
  }, [store]);
  const data = figureData(view, { state, theta: thetaOf(view.sliders, state.overrides) });
  if (!data || data.rows.length === 0) return null;
  const words = data.columns.map((_, i) =>
    alike(
      data.rows.map((row) => (typeof row[i] === 'number' ? row[i] : null)),
      5,
    ),
  );
  return (
    // a table is as wide as its columns, hidden or not: what holds it cuts it off
    <div className="sr">
      <table>
        <caption>
          {view.figure === 'limits' ? 'What limits the throughput' : `Cells compared: ${view.measure.label}`}
        </caption>
        <thead>
          <tr>
            {data.columns.map((name) => (
              <th scope="col" key={name}>
                {name.replaceAll('_', ' ')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row) => (
            <tr key={`${row[0]},${row[1]}`}>
              {row.map((value, i) => (
                <td key={data.columns[i]}>{typeof value === 'number' ? words[i](value) : (value ?? 'not known')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
