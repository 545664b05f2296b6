// SPDX-License-Identifier: Apache-2.0
// A slider that is a ruler.
import { useEffect, useRef } from 'react';
import { Mathematics } from '../../components/Mathematics';
import { useWidth } from '../../layers/Drawing';
import { draw } from '../../layers/svg';
import { worded } from '../../plots/number';
import { type Slider, settingAt, strideOf, trackOf } from '../../state/fit';
import { RULER_HEIGHT, rulerShapes } from '../explorer/figure/ruler';
import { TypedValue } from '../explorer/panel/TypedValue';

interface Props {
  readonly control: Slider & { readonly whole: boolean };
  readonly value: number;
  /** What stands in place of the number and its unit. */
  readonly words?: string;
  onValue(value: number): void;
}

export function Ruler({ control, value, words: given, onValue }: Props) {
  const [place, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const output = useRef<HTMLSpanElement>(null);
  const { name, label, digits, unit } = control;
  const id = `set-${name}`;
  const words = given ?? worded(value, digits, control.meanings);
  useEffect(() => {
    if (svg.current && width > 0) draw(svg.current, rulerShapes(control, value, width));
  }, [control, value, width]);
  useEffect(() => {
    if (output.current) output.current.textContent = words;
  });
  return (
    <div className={value === control.start ? 'param' : 'param edited'}>
      <label htmlFor={id} data-quantity={name === 'burst_packets' ? undefined : name}>
        {control.symbolMath !== '' && name !== 'mtu_bytes' && <Mathematics className="sym" html={control.symbolMath} />}
        <span>{label}</span>
      </label>
      <span className="value">
        <TypedValue
          slider={control}
          id={id}
          output={output}
          value={() => value}
          onValue={(v) => onValue(control.whole ? Math.round(v) : v)}
        />{' '}
        <small>{given === undefined ? unit : ''}</small>
      </span>
      <div className="track" ref={place}>
        <svg ref={svg} className="ruler" height={RULER_HEIGHT} aria-hidden="true" />
        <input
          id={id}
          type="range"
          aria-label={label}
          min={trackOf(control, control.lo)}
          max={trackOf(control, control.hi)}
          step={strideOf(control)}
          value={trackOf(control, value)}
          aria-valuetext={`${words} ${unit}`}
          onChange={(event) => {
            const next = settingAt(control, event.currentTarget.valueAsNumber);
            onValue(control.whole ? Math.round(next) : next);
          }}
          onDoubleClick={() => onValue(control.start)}
        />
      </div>
    </div>
  );
}
