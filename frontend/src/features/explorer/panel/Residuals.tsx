// SPDX-License-Identifier: Apache-2.0

import { useMemo, useRef } from 'react';
import { write } from '../../../layers/messages';
import { decimal, digitsFor } from '../../../plots/number';
import { useExplorer, useSpareTime } from '../context';
import type { FrameData } from '../figure/live';
import { kindWord } from '../figure/messages';
import { comparisonOf, RESIDUALS_HEIGHT, residualShapes, residualWords, signed, worstOf } from '../figure/residuals';
import { usePlot } from '../usePlot';
import { SettingHead, SettingNames, settingOf } from './Setting';

const none = (): void => undefined;

function inksOf(live: FrameData): Map<number, string> {
  return new Map(live.curves.flatMap((c) => (c.series ? [[c.series.y, c.series.ink] as const] : [])));
}

export function Residuals() {
  const { view, store } = useExplorer();
  const { frames } = store.get();
  const plot = usePlot();
  const worst = useRef<HTMLSpanElement>(null);
  const theta = useRef<FrameData['theta']>({});
  const comparison = useMemo(() => comparisonOf(view, frames), [view, frames]);
  const shares = comparison?.points.some((p) => p.mean !== 0);
  useSpareTime((live, held) => {
    if (!comparison) return false;
    theta.current = live.theta;
    const predictions = comparison.predictions(live.theta);
    if (plot.element.current && !plot.hidden.current)
      plot.show(residualShapes(view, comparison, predictions, live.place, plot.width.current, inksOf(live)), held);
    const most = worstOf(comparison.points, predictions);
    const where = most ? settingOf(view, most.point) : '';
    const words = most ? `largest ${signed(most.percent, 2)} %${where && ` at ${where}`}` : 'no percentages of 0';
    write(worst.current, words);
    return true;
  });
  if (!comparison) return null;
  return (
    <div className="block residuals">
      <header className="row">
        <h3 className="cap">
          Residuals <small>cell − model</small>
        </h3>
        <span className="note" ref={worst} />
      </header>
      {shares &&
        plot.of({
          className: 'plot wide',
          height: RESIDUALS_HEIGHT,
          role: 'img',
          // a part that did not come is asked for again with the next move
          onPointerMove: ({ nativeEvent }) =>
            import('../hover/residualTold').then(
              (part) => part.tell(nativeEvent, view, comparison, theta.current),
              none,
            ),
          'aria-label': `Cell minus model, in per cent, for ${comparison.points.length} cells`,
        })}
      {comparison.points.length <= 16 && <SideBySide comparison={comparison} />}
    </div>
  );
}

/** A few cells: their numbers beside the model's. */
function SideBySide({ comparison }: { comparison: NonNullable<ReturnType<typeof comparisonOf>> }) {
  const { view, subject } = useExplorer();
  const body = useRef<HTMLTableSectionElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  const percent = comparison.calm < 1 ? 2 : 1;
  useSpareTime((live) => {
    const predictions = comparison.predictions(live.theta);
    comparison.points.forEach((p, i) => {
      const row = body.current?.rows[i];
      if (!row) return;
      const [model, difference] = [row.cells[2], row.cells[3]];
      const words = decimal(predictions[i], digits);
      if (model.textContent !== words) {
        write(model, words);
        write(difference, residualWords(view, p, predictions[i], { percent, value: digits }));
      }
      row.classList.toggle('here', p.x === live.place.x && p.y === live.place.y);
    });
    return true;
  });
  return (
    <table className="beside">
      <thead>
        <tr>
          <th scope="col">
            <SettingNames />
          </th>
          <th scope="col">{kindWord(subject)}</th>
          <th scope="col">model</th>
          <th scope="col">cell − model</th>
        </tr>
      </thead>
      <tbody ref={body}>
        {comparison.points.map((p) => (
          <tr key={p.cell.id}>
            <SettingHead point={p} />
            <td>{decimal(p.mean, digits)}</td>
            <td />
            <td />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
