// SPDX-License-Identifier: Apache-2.0
// Pulling by hand: from the press to the release the surface follows the pointer, and one parameter follows the surface.
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import { drawingScale } from '../../../layers/scale';
import type { ExplorerState } from '../../../state/explorer';
import type { Slider } from '../../../state/fit';
import { type Pull, pullAt } from '../../../state/pull';
import type { ChartRenderer } from '../chartRenderer';
import { useExplorer } from '../context';
import type { Scene } from '../scene';
import { type Hold, lifted, lineAt, type Pulled, surfaceAt } from './handle';

/** How near to a line, in pixels, with a mouse and with a finger. */
const NEAR = 6;
const NEAR_TOUCH = 16;

interface Hand extends Pulled {
  readonly pull: Pull;
  /** Where the pointer went down, and the value there. */
  readonly clientY: number;
  readonly value: number;
  readonly before: ExplorerState['overrides'];
}

export interface PullHandlers {
  /** Whether the press took hold of something. */
  down(event: PointerEvent<SVGElement>, onGrip?: boolean): boolean;
  move(event: PointerEvent<SVGElement>): boolean;
  up(): void;
  /** The cursor for where a pointer is. */
  cursor(event: PointerEvent<SVGElement>): string;
  key(event: KeyboardEvent<SVGElement>): void;
  /** What is being pulled now. */
  held(): { pulled: Pulled; value: number } | null;
  /** What a pull at the crosshair would move. */
  mover(scene: Scene): Slider | null;
}

export function useLineDrag(
  picture: RefObject<ChartRenderer | null>,
  hit: RefObject<SVGRectElement | null>,
): PullHandlers {
  const { store, settleRulers, redraw } = useExplorer();
  const hand = useRef<Hand | null>(null);

  // a finger on a line pulls it; beside one it scrolls the page
  useEffect(() => {
    const element = hit.current?.ownerSVGElement;
    if (!element) return;
    const onTouch = (event: TouchEvent): void => {
      const scene = picture.current?.scene();
      const [touch] = event.touches;
      if (event.target instanceof Element && event.target.closest('.handle')) {
        event.preventDefault();
        return;
      }
      if (!picture.current || !scene || event.touches.length !== 1) return;
      const [px, py] = picture.current.at(touch.clientX, touch.clientY);
      if (lineAt(scene, px, py, NEAR_TOUCH)) event.preventDefault();
    };
    element.addEventListener('touchstart', onTouch, { passive: false });
    return () => element.removeEventListener('touchstart', onTouch);
  }, [picture, hit]);

  return useMemo<PullHandlers>(() => {
    const pullOf = (scene: Scene, hold: Hold): Pull | null => {
      const { view, live } = scene;
      return view.binding && pullAt(view.binding, view.sliders, live.theta, hold.x, hold.y, live.state.frames);
    };
    const chosen = (pull: Pull, second: boolean): Slider => {
      const named = pull.movers.find(({ slider }) => slider.name === store.get().pull);
      return (named ?? pull.movers[second ? 1 : 0] ?? pull.movers[0]).slider;
    };
    const put = (scene: Scene, slider: Slider, value: number): void => {
      const { [slider.name]: _, ...rest } = store.get().overrides;
      store.update({ overrides: value === scene.view.start[slider.name] ? rest : { ...rest, [slider.name]: value } });
    };
    const atCrosshair = ({ live }: Scene): Hold => ({ x: live.place.x, y: live.place.y, value: live.place.value });

    return {
      down(event, onGrip = false) {
        const drawing = picture.current;
        const scene = drawing?.scene();
        if (event.button !== 0 || !drawing || !scene) return false;
        const [px, py] = drawing.at(event.clientX, event.clientY);
        const near = event.pointerType === 'mouse' ? NEAR : NEAR_TOUCH;
        let hold = onGrip ? atCrosshair(scene) : lineAt(scene, px, py, near);
        if (!hold && event.altKey) hold = surfaceAt(scene, px, py);
        const pull = hold && pullOf(scene, hold);
        if (!hold || !pull) return false;
        const slider = chosen(pull, event.shiftKey);
        const { theta, state } = scene.live;
        hand.current = {
          hold,
          pull,
          slider,
          from: theta[slider.name],
          clientY: event.clientY,
          value: pull.value(theta),
          before: state.overrides,
        };
        event.currentTarget.setPointerCapture(event.pointerId);
        return true;
      },
      move(event) {
        const held = hand.current;
        const scene = picture.current?.scene();
        if (!held) return false;
        if (scene) {
          const target = lifted(scene, held.value, (held.clientY - event.clientY) / drawingScale());
          put(scene, held.slider, held.pull.solve(held.slider, target, scene.live.theta));
        }
        return true;
      },
      up() {
        if (!hand.current) return;
        hand.current = null;
        redraw(); // what was pulled is named no longer
        settleRulers();
      },
      cursor(event) {
        const drawing = picture.current;
        const scene = drawing?.scene();
        if (!drawing || !scene) return '';
        const [px, py] = drawing.at(event.clientX, event.clientY);
        return lineAt(scene, px, py, NEAR) || (event.altKey && surfaceAt(scene, px, py)) ? 'ns-resize' : '';
      },
      key(event) {
        const scene = picture.current?.scene();
        if (!scene) return;
        if (event.key === 'Escape' && hand.current) {
          store.update({ overrides: hand.current.before });
          hand.current = null;
          return;
        }
        const pull = pullOf(scene, atCrosshair(scene));
        if (!pull || event.altKey || event.ctrlKey || event.metaKey) return;
        const slider = chosen(pull, false);
        const upward = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[event.key];
        const sideways = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (upward) {
          const pixels = (upward * scene.frame.lines.height) / (event.shiftKey ? 250 : 50);
          put(scene, slider, pull.solve(slider, lifted(scene, pull.value(scene.live.theta), pixels), scene.live.theta));
        } else if (sideways) {
          const names = pull.movers.map((m) => m.slider.name);
          store.update({ pull: names[(names.indexOf(slider.name) + sideways + names.length) % names.length] });
        } else if (event.key === 'Home') put(scene, slider, slider.start);
        else return;
        event.preventDefault();
        settleRulers();
      },
      held() {
        const held = hand.current;
        const theta = picture.current?.scene()?.live.theta;
        return held && theta ? { pulled: held, value: held.pull.value(theta) } : null;
      },
      mover(scene) {
        const pull = pullOf(scene, atCrosshair(scene));
        return pull && chosen(pull, false);
      },
    };
  }, [picture, store, settleRulers, redraw]);
}
