// SPDX-License-Identifier: Apache-2.0
// Over the 3D surface: a drag or the arrows turn it, a double click or Home turn it back. Nothing moves by itself.
import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react';
import { START_TURN, turned } from '../../state/figure';
import type { ChartRenderer } from './chartRenderer';
import { useExplorer, useFrame } from './context';

const STEP = 5;
const DEGREES_PER_PIXEL = 0.4;

const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

export function RotationHandle({ picture }: { picture: RefObject<ChartRenderer | null> }) {
  const { store } = useExplorer();
  const area = useRef<SVGRectElement>(null);
  const from = useRef<{ x: number; y: number; turn: typeof START_TURN } | null>(null);
  useFrame(({ state }) => {
    const frame = picture.current?.scene()?.frame;
    const element = area.current;
    if (!element || !frame?.heat) return;
    const { top, height } = frame.heat;
    for (const [name, value] of Object.entries({ x: 0, y: top, width: frame.width, height })) {
      const text = String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
    const words = `${state.turn.round}° round, ${state.turn.above}° from above; Home resets the view`;
    if (element.getAttribute('aria-valuetext') === words) return;
    element.setAttribute('aria-valuetext', words);
    element.setAttribute('aria-valuenow', String(state.turn.round));
  });
  const back = () => store.update({ turn: START_TURN });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (!step && event.key !== 'Home') return;
    event.preventDefault();
    if (step) store.update({ turn: turned(store.get().turn, ...step) });
    else back();
  };
  const onPointerDown = (event: PointerEvent<SVGRectElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, y: event.clientY, turn: store.get().turn };
  };
  const onPointerMove = (event: PointerEvent<SVGRectElement>) => {
    const start = from.current;
    if (!start) return;
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    store.update({ turn: turned(start.turn, -dx * DEGREES_PER_PIXEL, dy * DEGREES_PER_PIXEL) });
  };
  const release = () => {
    from.current = null;
  };
  return (
    <rect
      ref={area}
      className="turn"
      fill="transparent"
      tabIndex={0}
      role="slider"
      aria-label="Turn of the 3D surface"
      aria-valuemin={-179}
      aria-valuemax={180}
      aria-valuenow={START_TURN.round}
      onKeyDown={onKeyDown}
      onDoubleClick={back}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={release}
      onPointerCancel={release}
    />
  );
}
