// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef } from 'react';
import type { Cell, Experiment } from '../../../api/types';
import { useWidth } from '../../../layers/Drawing';
import { type SurfaceLayer, surfaceLayer } from '../../../layers/surface';
import { TEXT } from '../../../plots/shapes';
import { inkOn, tide } from '../../../plots/tide';
import { type Preview, previewOf } from './preview';

const HEIGHT = 252;
const STEPS = 48;
const BAR = 8;

function usePainted(preview: Preview | null) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<{ on: HTMLCanvasElement; paints: SurfaceLayer } | null>(null);
  useEffect(() => {
    const surface = preview?.surface;
    if (!canvas.current || !surface || !preview) return;
    if (layer.current?.on !== canvas.current)
      layer.current = { on: canvas.current, paints: surfaceLayer(canvas.current) };
    const { paints } = layer.current;
    paints.resize(surface.box.width, surface.box.height);
    const { z, nx, ny, lines } = surface;
    paints.paint({ z, nx, ny, values: preview.values, log: false, isolines: lines });
  }, [preview]);
  return canvas;
}

function ValueBar({ at, top, height, ends }: { at: number; top: number; height: number; ends: readonly string[] }) {
  return (
    <>
      {Array.from({ length: STEPS }, (_, k) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps have no other identity
          key={k}
          x={at}
          y={top + (1 - (k + 1) / STEPS) * height}
          width={BAR}
          height={height / STEPS + 0.5}
          fill={tide((k + 0.5) / STEPS)}
        />
      ))}
      <text x={at + BAR + 4} y={top + 9}>
        {ends[1]}
      </text>
      <text x={at + BAR + 4} y={top + height}>
        {ends[0]}
      </text>
    </>
  );
}

/** The cells of a measure, over a surface where the grid is whole. */
export function PreviewFigure(props: { experiment: Experiment; cells: readonly Cell[]; measure: string }) {
  const { experiment, cells, measure } = props;
  const [place, width] = useWidth<HTMLDivElement>();
  const box = { left: 44, top: 24, width: Math.max(60, width - 44 - 60), height: HEIGHT - 24 - 44 };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box follows from the width
  const preview = useMemo(
    () => (width > 0 ? previewOf(experiment, cells, measure, box) : null),
    [experiment, cells, measure, width],
  );
  const canvas = usePainted(preview);
  const bottom = box.top + box.height;
  const shown = experiment.measures.find(({ name }) => name === measure);
  return (
    <div className="preview" ref={place} style={{ height: `${HEIGHT / 16}rem` }}>
      {preview?.surface && (
        <canvas
          ref={canvas}
          style={{
            left: preview.surface.box.left,
            top: preview.surface.box.top,
            width: preview.surface.box.width,
            height: preview.surface.box.height,
          }}
        />
      )}
      {preview && (
        <svg
          width={width}
          height={HEIGHT}
          fontSize={TEXT.label}
          role="img"
          aria-label={`Preview: ${shown?.label ?? measure} over ${preview.xTitle}`}
        >
          <text x={0} y={12}>
            {preview.yTitle}
          </text>
          {preview.xTicks.map(({ at, text }) => (
            <text key={text} x={at} y={bottom + 17} textAnchor="middle">
              {text}
            </text>
          ))}
          {preview.yTicks.map(({ at, text }) => (
            <text key={text} x={box.left - 6} y={at + 4} textAnchor="end">
              {text}
            </text>
          ))}
          <text x={box.left} y={bottom + 37}>
            {preview.xTitle}
          </text>
          {preview.points.map(({ cell, px, py, share }) => {
            const fill = tide(share);
            return <circle key={cell.id} cx={px} cy={py} r={5.5} fill={fill} stroke={inkOn(fill)} strokeWidth={1.4} />;
          })}
          {preview.plane && (
            <ValueBar at={box.left + box.width + 6} top={box.top} height={box.height} ends={preview.ends} />
          )}
        </svg>
      )}
    </div>
  );
}
