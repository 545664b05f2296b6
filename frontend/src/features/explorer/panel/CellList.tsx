// SPDX-License-Identifier: Apache-2.0

import { useRef } from 'react';
import { digitsFor, withHalf } from '../../../plots/number';
import { useExplorer, useFrame } from '../context';
import { SettingHead, SettingNames } from './Setting';

/** Without a model the panel lists what was measured. */
export function CellList() {
  const { view } = useExplorer();
  const body = useRef<HTMLTableSectionElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  useFrame(({ place }) => {
    view.points.forEach((p, i) => {
      body.current?.rows[i]?.classList.toggle('here', p.x === place.x && p.y === place.y);
    });
  });
  return (
    <div className="block">
      <h3 className="cap">Cells</h3>
      <table className="beside">
        <thead>
          <tr>
            <th scope="col">
              <SettingNames />
            </th>
            <th scope="col">mean</th>
            <th scope="col">95 %</th>
            <th scope="col">runs</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {view.points.map((p) => {
            const words = withHalf(p.mean, p.half, digits);
            return (
              <tr key={p.cell.id}>
                <SettingHead point={p} />
                <td>{words.mean}</td>
                <td>{words.half ?? '–'}</td>
                <td>{p.n}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
