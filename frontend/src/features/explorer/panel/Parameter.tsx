// SPDX-License-Identifier: Apache-2.0

import { useRef } from 'react';
import { Mathematics } from '../../../components/Mathematics';
import { QuantityName } from '../../../components/QuantityName';
import { Rich } from '../../../components/Rich';
import { write } from '../../../layers/messages';
import { draw } from '../../../layers/svg';
import { worded } from '../../../plots/number';
import { type Slider, settingAt, startWords, strideOf, trackOf } from '../../../state/fit';
import { useAfterFrame, useExplorer, useFrame, useSized, useSpareTime } from '../context';
import { plainSymbol } from '../drag/handle';
import { RULER_HEIGHT, rulerHand, rulerScale } from '../figure/ruler';
import { TypedValue } from './TypedValue';

const NAMES: Readonly<Record<string, string>> = {
  alpha: 'per 10⁶ bytes',
  beta: 'per 1000 packets',
  gamma: 'per 1000 interrupts',
};

function unitNote(slider: Slider): string {
  return slider.tone ? slider.unit.split('/')[0] : slider.unit;
}

export function Parameter({ slider }: { slider: Slider }) {
  const { store, settleRulers, beginDrag } = useExplorer();
  const row = useRef<HTMLDivElement>(null);
  const ruler = useSized<SVGSVGElement>();
  const scale = useRef<SVGGElement>(null);
  const hand = useRef<SVGGElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const output = useRef<HTMLSpanElement>(null);
  // of a slider with the focus, which is the hand's, the input may lie up to a stride from the value
  const shown = useRef<{ slider: Slider | null; value: number; width: number; isExact: boolean }>({
    slider: null,
    value: Number.NaN,
    width: 0,
    isExact: false,
  });
  const { name, start, digits } = slider;
  const id = `parameter-${name}`;

  useFrame(({ theta }) => {
    const range = input.current;
    const value = theta[name];
    if (!range || !scale.current || !hand.current || value === undefined) return;
    const width = ruler.width.current;
    const { current: last } = shown;
    const isSame = last.slider === slider && last.width === width;
    const hasFocus = document.activeElement === range;
    // the other sliders stand still while one moves
    if (isSame && last.value === value && last.isExact && !hasFocus) return;
    const at = trackOf(slider, value);
    const isExact = !hasFocus || Math.abs(range.valueAsNumber - at) > strideOf(slider);
    if (isExact) range.value = String(at);
    shown.current = { slider, value, width, isExact };
    if (!isSame) draw(scale.current, rulerScale(slider, width));
    draw(hand.current, rulerHand(slider, value, width));
  });
  // words are laid out, which takes a while
  useAfterFrame(({ theta }) => {
    const value = theta[name];
    if (value === undefined) return;
    row.current?.classList.toggle('edited', value !== start);
    write(output.current, worded(value, digits, slider.meanings));
  });
  // what a screen reader says instead of the number of steps
  useSpareTime(({ theta }) => {
    const range = input.current;
    const value = theta[name];
    if (!range || value === undefined) return false;
    const words = `${worded(value, digits, slider.meanings)} ${slider.unit}`;
    if (range.getAttribute('aria-valuetext') === words) return false;
    range.setAttribute('aria-valuetext', words);
    return true;
  });

  const set = (value: number) => {
    const { [name]: _, ...rest } = store.get().overrides;
    store.update({ overrides: value === start ? rest : { ...rest, [name]: value } });
  };
  return (
    <div className="param" ref={row}>
      <span className="name" id={`${id}-name`}>
        {slider.tone && <i className={`sw ${slider.tone}`} />}
        {plainSymbol(slider) !== slider.label && <Mathematics className="sym" html={slider.symbolMath} />}
        <QuantityName name={name}>
          <Rich>{NAMES[name] ?? slider.label}</Rich>
        </QuantityName>
      </span>
      <span className="value">
        <TypedValue
          slider={slider}
          id={id}
          output={output}
          value={() => shown.current.value}
          onValue={(value) => {
            set(value);
            settleRulers();
          }}
        />{' '}
        <small>{unitNote(slider)}</small>
      </span>
      <div className="track">
        <svg ref={ruler.attach} className="ruler" height={RULER_HEIGHT} aria-hidden="true">
          <g ref={scale} />
          <g ref={hand} />
        </svg>
        <input
          ref={input}
          id={id}
          type="range"
          min={trackOf(slider, slider.lo)}
          max={trackOf(slider, slider.hi)}
          step={strideOf(slider)}
          defaultValue={trackOf(slider, start)}
          aria-labelledby={`${id}-name`}
          aria-describedby={`${id}-fit`}
          // of another button's press a menu takes the release
          onPointerDown={(event) => event.button === 0 && beginDrag()}
          onInput={(event) => set(settingAt(slider, event.currentTarget.valueAsNumber))}
          onDoubleClick={() => set(start)}
        />
      </div>
      <span className="sr" id={`${id}-fit`}>
        {startWords(slider)}
      </span>
    </div>
  );
}
