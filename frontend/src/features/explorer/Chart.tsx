// SPDX-License-Identifier: Apache-2.0
// The centre: what it looks like.

import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
} from 'react';
import { followPaper, sizeOnPaper } from '../../layers/paper';
import { drawingScale } from '../../layers/scale';
import { draw } from '../../layers/svg';
import { decimal, worded } from '../../plots/number';
import { tide } from '../../plots/tide';
import type { ExplorerState } from '../../state/explorer';
import { type ChartParts, type ChartRenderer, createChartRenderer, LAYERS, type Layer } from './chartRenderer';
import { useAfterFrame, useExplorer, useFrame } from './context';
import { HANDLE, handleSpot, pulledShapes } from './drag/handle';
import { type PullHandlers, useLineDrag } from './drag/useLineDrag';
import { settingWords, unitAfter } from './figure/messages';
import { PATTERNS } from './figure/patterns';
import { useMarkTitle } from './hover/useMarkTitle';
import { RotationHandle } from './RotationHandle';

/** All but what is over the hand's own canvas. */
const DRAWN = LAYERS.filter((name) => name !== 'pull');

const BAR = Array.from({ length: 17 }, (_, k) => k / 16);

/** Patterns and gradients that the shapes refer to; an export writes the same. */
export function Definitions() {
  return (
    <defs>
      {PATTERNS.map(({ id, size, ground, d }) => (
        <pattern key={id} id={id} width={size} height={size} patternUnits="userSpaceOnUse">
          <rect width={size} height={size} fill={ground} />
          {d && <path d={d} stroke="var(--line-3)" />}
        </pattern>
      ))}
      <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" fill="var(--ground)" fillOpacity="0.42" />
        <line x1="0" y1="0" x2="0" y2="6" stroke="var(--ground)" strokeWidth="2.4" strokeOpacity="0.5" />
      </pattern>
      <linearGradient id="bar" x1="0" x2="0" y1="1" y2="0">
        {BAR.map((t) => (
          <stop key={t} offset={t} stopColor={tide(t)} />
        ))}
      </linearGradient>
    </defs>
  );
}

function step(levels: readonly number[], value: number, up: boolean): number {
  if (up) return levels.find((l) => l > value * (1 + 1e-9) + 1e-9) ?? levels[levels.length - 1];
  return [...levels].reverse().find((l) => l < value * (1 - 1e-9) - 1e-9) ?? levels[0];
}

/** Arrows step through the settings; with Shift, in hundredths of the axis. */
function useKeys(picture: RefObject<ChartRenderer | null>) {
  const { store, view } = useExplorer();
  return (event: KeyboardEvent) => {
    const { x, y, across, shape } = view.layout;
    const key = event.key;
    const sideways = key === 'ArrowLeft' || key === 'ArrowRight' || key === 'Home' || key === 'End';
    const upward = key === 'ArrowUp' || key === 'ArrowDown';
    if (!sideways && !upward) return;
    const name = upward ? 'y' : across;
    const axis = name === 'x' ? x : y;
    if (!axis || (upward && shape !== 'plane')) return;
    event.preventDefault();
    const now = store.get()[name] ?? axis.levels[0];
    const { levels } = axis;
    if (key === 'Home' || key === 'End') {
      store.update({ [name]: key === 'Home' ? levels[0] : levels[levels.length - 1] });
      return;
    }
    const up = key === 'ArrowRight' || key === 'ArrowUp';
    if (!event.shiftKey || axis.names) {
      store.update({ [name]: step(levels, now, up) });
      return;
    }
    const frame = picture.current?.scene()?.frame;
    const scale = name === across ? frame?.x : frame?.y;
    if (!scale) return;
    const [lo, hi] = name === 'x' ? view.xBounds : view.yBounds;
    const stride = (scale(hi) - scale(lo)) / 100;
    const next = scale.invert(scale(now) + (up ? stride : -stride));
    store.update({ [name]: Number(Math.max(lo, Math.min(hi, next)).toPrecision(4)) });
  };
}

/** How far a finger goes sideways before it is known not to scroll. */
const SLOP_PX = 6;

interface Drag {
  readonly lines: boolean;
  /** Where a finger went down that may yet scroll the page. */
  readonly waits: number | null;
}

/** A press on a line pulls it, anywhere else it moves the crosshair. A finger that scrolls the page leaves the crosshair where it is. */
function useDrag(picture: RefObject<ChartRenderer | null>, pull: PullHandlers) {
  const { store } = useExplorer();
  const drag = useRef<Drag | null>(null);
  const aim = (event: PointerEvent<SVGRectElement>, { lines }: Drag) => {
    if (picture.current) store.update(picture.current.aim(event.clientX, event.clientY, lines));
  };
  const end = () => {
    drag.current = null;
    pull.up();
  };
  return {
    onPointerDown(event: PointerEvent<SVGRectElement>) {
      if (event.button !== 0 || !picture.current || pull.down(event)) return;
      const lines = picture.current.onLines(event.clientY);
      drag.current = { lines, waits: event.pointerType === 'touch' ? event.clientX : null };
      event.currentTarget.setPointerCapture(event.pointerId);
      if (drag.current.waits === null) aim(event, drag.current);
    },
    onPointerMove(event: PointerEvent<SVGRectElement>) {
      if (pull.move(event)) return;
      const held = drag.current;
      if (!held) {
        event.currentTarget.style.cursor = pull.cursor(event);
        return;
      }
      if (held.waits !== null && Math.abs(event.clientX - held.waits) < SLOP_PX) return;
      drag.current = { ...held, waits: null };
      aim(event, held);
    },
    onPointerUp(event: PointerEvent<SVGRectElement>) {
      // a tap
      if (drag.current && drag.current.waits !== null) aim(event, drag.current);
      end();
    },
    onPointerCancel: end,
  };
}

/** The handle on the current line, and while something is pulled, what moves. */
function Handle({
  picture,
  pull,
  layer,
}: {
  picture: RefObject<ChartRenderer | null>;
  pull: PullHandlers;
  layer: () => Element | undefined;
}) {
  const { view, redraw } = useExplorer();
  const handle = useRef<SVGGElement>(null);
  const painted = useRef(false);
  useFrame(({ place, theta }, inHand) => {
    const element = handle.current;
    const scene = picture.current?.scene();
    if (!element || !scene) return;
    // while a slider is being dragged the picture paints it: a layer that moves makes the browser put all of them together again
    const paints = inHand && scene.view.figure === 'map';
    if (paints !== painted.current) element.style.opacity = paints ? '0' : '';
    painted.current = paints;
    if (paints) return;
    const held = pull.held();
    const group = layer();
    if (group) draw(group, held ? pulledShapes(scene, held.pulled, held.value) : []);
    const spot = handleSpot(scene);
    element.style.display = spot ? '' : 'none';
    if (!spot) return;
    element.setAttribute('transform', `translate(${Math.round(spot.X * 10) / 10} ${Math.round(spot.Y * 10) / 10})`);
    if (document.activeElement !== element && !held) return;
    const slider = held?.pulled.slider ?? pull.mover(scene);
    const words = slider ? `, ${slider.label} ${decimal(theta[slider.name], slider.digits)} ${slider.unit}` : '';
    element.setAttribute('aria-valuenow', String(place.value));
    element.setAttribute('aria-valuetext', `${decimal(place.value, 2)}${unitAfter(view.measure)}${words}`);
  });
  return (
    <g
      ref={handle}
      className="handle"
      tabIndex={0}
      role="slider"
      aria-orientation="vertical"
      aria-label="Pull the line: up or down; left and right choose the parameter"
      aria-valuenow={0}
      onKeyDown={pull.key}
      onFocus={() => redraw()}
      onPointerDown={(event) => pull.down(event, true)}
      onPointerMove={(event) => pull.move(event)}
      onPointerUp={pull.up}
      onPointerCancel={pull.up}
    >
      <circle r="12" fill="transparent" />
      <circle r={HANDLE.radius} className="dot" />
      <path d={HANDLE.arrows} />
    </g>
  );
}

/** What the crosshair's slider says. */
function useSpoken(hit: RefObject<SVGRectElement | null>) {
  const { view } = useExplorer();
  useFrame((live, held) => {
    const element = hit.current;
    // a reader who moves another slider hears what that one says
    if (!element || held) return;
    const { x, y, across } = view.layout;
    const { state, place } = live;
    const settings = [
      y && state.y !== null ? `${y.name === 'mtu_bytes' ? 'MTU ' : ''}${settingWords(y, state.y)}` : '',
      x && state.x !== null ? settingWords(x, state.x) : '',
    ].filter(Boolean);
    const value = Number.isFinite(place.value)
      ? `${worded(place.value, 2, view.measure.meanings)}${unitAfter(view.measure)}`
      : 'no value here';
    const main = across === 'x' ? state.x : state.y;
    element.setAttribute('aria-valuetext', `${settings.join(', ')}: ${value}`);
    element.setAttribute('aria-valuenow', String(main ?? 0));
  });
}

/** In pixels of the drawing. */
function roomIn(box: Element): [number, number] {
  const scale = drawingScale();
  return [box.clientWidth / scale, box.clientHeight / scale];
}

export const Chart = memo(function Chart({ onPicture }: { onPicture: (picture: ChartRenderer | null) => void }) {
  const { view, redraw } = useExplorer();
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const behind = useRef<SVGSVGElement>(null);
  const moving = useRef<HTMLCanvasElement>(null);
  const hit = useRef<SVGRectElement>(null);
  const groups = useRef<Partial<Record<Layer, SVGGElement>>>({});
  const picture = useRef<ChartRenderer | null>(null);

  const found = useCallback((): ChartParts | null => {
    if (!host.current || !canvas.current || !svg.current || !behind.current || !moving.current || !hit.current)
      return null;
    return {
      canvas: canvas.current,
      svg: svg.current,
      hit: hit.current,
      layers: groups.current as Record<Layer, SVGGElement>,
      behind: behind.current,
      moving: moving.current,
      again: redraw,
    };
  }, [redraw]);

  useLayoutEffect(() => {
    const parts = found();
    const box = host.current;
    if (!parts || !box) return;
    const drawing = createChartRenderer(parts);
    picture.current = drawing;
    let [width, height] = roomIn(box);
    drawing.resize(width, height);
    onPicture(drawing);
    const observer = new ResizeObserver(() => {
      const [wide, high] = roomIn(box);
      if (wide === width && high === height) return;
      [width, height] = [wide, high];
      drawing.resize(width, height);
      redraw();
    });
    observer.observe(box);
    const onPaper = () => {
      drawing.resize(sizeOnPaper(box, '--paper-width') ?? width, sizeOnPaper(box, '--paper-height') ?? height);
      redraw(true);
    };
    const offPaper = () => {
      drawing.resize(width, height);
      redraw();
    };
    const unfollow = followPaper(onPaper, offPaper);
    return () => {
      unfollow();
      observer.disconnect();
      picture.current = null;
      onPicture(null);
    };
  }, [found, onPicture, redraw]);

  const keys = useKeys(picture);
  const pull = useLineDrag(picture, hit);
  const [title, hover] = useMarkTitle(picture);
  const drag = useDrag(picture, pull);
  useSpoken(hit);
  useAfterFrame(() => picture.current?.follow());
  const { x, y, across } = view.layout;
  const axis = across === 'x' ? x : y;
  const levels = axis?.levels ?? [0];
  const bounds: readonly [keyof ExplorerState, number, number] = [across, levels[0], levels[levels.length - 1]];
  const group = (name: Layer) => (
    <g
      key={name}
      data-layer={name}
      ref={(element) => {
        if (element) groups.current[name] = element;
      }}
    />
  );
  return (
    <div ref={host} className={view.layout.shape === 'plane' ? 'duet' : 'duet single'}>
      <div aria-hidden="true">
        <svg ref={behind} className="behind" aria-hidden="true" />
        <canvas ref={canvas} className="surface" />
      </div>
      <svg ref={svg} className="plot" role="img" aria-label={`${view.measure.label} against the settings`}>
        <Definitions />
        {DRAWN.map(group)}
      </svg>
      <canvas ref={moving} className="moving" hidden />
      <svg className="plot handles" role="group" aria-label="What can be moved" onPointerMove={hover}>
        <title ref={title} />
        {group('pull')}
        <rect
          ref={hit}
          className="hit"
          fill="transparent"
          tabIndex={0}
          role="slider"
          aria-label="Crosshair"
          aria-valuemin={bounds[1]}
          aria-valuemax={bounds[2]}
          aria-valuenow={bounds[1]}
          onKeyDown={keys}
          {...drag}
        />
        <Handle picture={picture} pull={pull} layer={() => groups.current.pull} />
        {view.figure === '3d' && <RotationHandle picture={picture} />}
      </svg>
    </div>
  );
});
