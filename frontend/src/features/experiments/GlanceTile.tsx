// SPDX-License-Identifier: Apache-2.0
import { tide } from '../../plots/tide';

const WIDTH = 92;
const HEIGHT = 28;
const WIDEST_CELL = 28;
const SINGLE_ROW = 10;
const GAP = 0.75;

/** The whole experiment at a glance: one cell of data, one cell of the tile; a dot where nothing is known. */
export function GlanceTile({ shades }: { shades: readonly (readonly (number | null)[])[] }) {
  const columns = Math.max(1, ...shades.map((row) => row.length));
  const cellWidth = Math.min(WIDTH / columns, WIDEST_CELL);
  const cellHeight = shades.length === 1 ? SINGLE_ROW : HEIGHT / shades.length;
  const top = (HEIGHT - cellHeight * shades.length) / 2;
  return (
    <svg className="glance" width={WIDTH} height={HEIGHT} aria-hidden="true">
      {shades.flatMap((row, j) =>
        row.map((shade, i) => {
          const key = `${j} ${i}`;
          return shade === null ? (
            <circle key={key} cx={(i + 0.5) * cellWidth} cy={top + (j + 0.5) * cellHeight} r={0.9} />
          ) : (
            <rect
              key={key}
              x={i * cellWidth}
              y={top + j * cellHeight}
              width={cellWidth - GAP}
              height={cellHeight - GAP}
              fill={tide(shade)}
            />
          );
        }),
      )}
    </svg>
  );
}
