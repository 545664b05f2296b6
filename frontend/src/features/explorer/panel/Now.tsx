// SPDX-License-Identifier: Apache-2.0

import { type ReactNode, useRef } from 'react';
import { Rich } from '../../../components/Rich';
import { write } from '../../../layers/messages';
import { decimal, digitsFor, withHalf } from '../../../plots/number';
import { predictAt } from '../../../state/prediction';
import { useExplorer, useSpareTime } from '../context';
import { namedSetting, shortUnit, unitAfter } from '../figure/messages';
import { SPLIT_HEIGHT, splitShapes } from '../figure/split';
import { usePlot } from '../usePlot';

/** The headline: the value at the crosshair, and the cell beside it. */
export function Now({ children }: { children?: ReactNode }) {
  const { view } = useExplorer();
  const value = useRef<HTMLElement>(null);
  const half = useRef<HTMLSpanElement>(null);
  const beside = useRef<HTMLSpanElement>(null);
  const at = useRef<HTMLElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  useSpareTime(({ place, state }) => {
    const { x, y } = view.layout;
    const settings = [
      y && state.y !== null ? namedSetting(y, state.y) : '',
      x && state.x !== null ? namedSetting(x, state.x) : '',
    ];
    write(at.current, settings.filter(Boolean).join(', '));
    const now = withHalf(place.value, place.half, digits);
    write(value.current, Number.isFinite(place.value) ? (view.measure.meanings[place.value] ?? now.mean) : 'no value');
    write(half.current, now.half ?? '');
    const { cell } = place;
    let words = view.measured
      ? Number.isFinite(place.value)
        ? 'between cells: interpolated'
        : 'between cells'
      : 'no data: the model alone';
    if (view.measured && place.prediction && !cell)
      words = view.binding?.takesFrames ? 'between cells: interpolated' : 'between cells: the model alone';
    if (cell) {
      const own = withHalf(cell.mean, cell.half, digits);
      words = [cell.n === 1 ? 'one run' : 'cell mean', own.mean, own.half].filter(Boolean).join(' ');
    }
    write(beside.current, words);
    return true;
  });
  const split = view.binding !== null && view.binding.parts.length > 0;
  return (
    <div className="block">
      <header className="row">
        <h3 className="cap">
          {split ? 'CPU cost split' : 'At the crosshair'} <small ref={at} />
        </h3>
      </header>
      <p className="now">
        <b ref={value} />{' '}
        <i ref={half} title="95 % interval of a prediction: how sure the fit is, and what cells deviate from it by" />
        <i>
          <Rich>{unitAfter(view.measure).trim()}</Rich>
        </i>
        <span ref={beside} />
      </p>
      {children}
    </div>
  );
}

export function CostSplit() {
  const { view, store } = useExplorer();
  const plot = usePlot();
  const { frames } = store.get();
  const { binding, layout } = view;
  const digits = digitsFor(view.values[1] - view.values[0]);
  const corner = { x: layout.x?.levels[0] ?? 0, y: layout.y?.levels[0] ?? 0 };
  useSpareTime((live, held) => {
    const host = plot.element.current;
    const now = live.place.prediction;
    if (!host || !binding || !now || plot.hidden.current) return false;
    const reference = predictAt(binding, corner.x, corner.y, frames, live.theta);
    const words = [layout.y && namedSetting(layout.y, corner.y), layout.x && namedSetting(layout.x, corner.x)]
      .filter(Boolean)
      .join(', ');
    const label = `${words}: ${decimal(reference.total, digits)}`;
    plot.show(splitShapes(now, reference, label, digits, plot.width.current), held);
    if (held) return true;
    host.setAttribute(
      'aria-label',
      `bytes ${decimal(now.parts[0], digits)}, packets ${decimal(now.parts[1], digits)}, interrupts ${decimal(now.parts[2], digits)} ${shortUnit(view.measure.unit)}`,
    );
    return true;
  });
  return plot.of({ className: 'plot wide', height: SPLIT_HEIGHT, role: 'img', 'aria-label': 'Cost split' });
}
