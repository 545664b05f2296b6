// SPDX-License-Identifier: Apache-2.0
// Shapes in an SVG that is as wide as its place. The words for those who do not see it are the caller's.
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import type { Shape } from '../plots/shapes';
import { followPaper, sizeOnPaper } from './paper';
import { drawingScale } from './scale';
import { draw } from './svg';
import './Drawing.css';

/** An element's width in pixels of a drawing, measured before the first paint and whenever it changes. */
export const useWidth = <T extends Element>() => useClientWidth<T>(drawingScale);

/** The same in CSS pixels, or in units of so many of them. */
export function useClientWidth<T extends Element>(unit = () => 1): [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the unit is asked for when the width is measured
  useLayoutEffect(() => {
    const own = element.current;
    if (!own) return;
    const measure = () => setWidth(Math.round(own.clientWidth / unit()));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(own);
    const unfollow = followPaper(
      () => flushSync(() => setWidth((now) => sizeOnPaper(own, '--paper-width') ?? now)),
      measure,
    );
    return () => {
      unfollow();
      observer.disconnect();
    };
  }, []);
  return [element, width];
}

export function Drawing(props: {
  label: string;
  width: number;
  height: number;
  shapes: readonly Shape[];
  /** Where the pointer is, in pixels of the drawing; null when it leaves. */
  onPoint?: (at: { x: number; y: number } | null) => void;
  onKey?: (event: KeyboardEvent) => void;
}) {
  const { label, width, height, shapes, onPoint, onKey } = props;
  const group = useRef<SVGGElement>(null);
  useEffect(() => {
    if (group.current) draw(group.current, shapes);
  }, [shapes]);
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const scale = drawingScale();
    onPoint?.({ x: (event.clientX - box.left) / scale, y: (event.clientY - box.top) / scale });
  };
  const drag = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons === 1) point(event);
  };
  return (
    <svg
      className={`drawing ${onPoint ? 'points' : ''}`}
      width={width}
      height={height}
      viewBox={`0 0 ${Math.max(1, width)} ${height}`}
      role="img"
      aria-label={label}
      tabIndex={onKey ? 0 : undefined}
      onPointerDown={onPoint && point}
      onPointerMove={onPoint && drag}
      onKeyDown={onKey}
    >
      <g ref={group} />
    </svg>
  );
}
