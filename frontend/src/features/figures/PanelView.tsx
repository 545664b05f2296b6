// SPDX-License-Identifier: Apache-2.0
// One panel on the screen: shapes in an SVG, a surface on a canvas below it, or a table.
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { Kind } from '../../components/Kind';
import { Named } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { catalogue } from '../../engine/catalogue';
import { useWidth } from '../../layers/Drawing';
import { surfaceLayer } from '../../layers/surface';
import { draw } from '../../layers/svg';
import { decimal } from '../../plots/number';
import type { Column, HeatPanel, Panel, TablePanel } from './definition';
import type { CellsBySlug } from './evaluate';
import { quantityAbove } from './quantities';
import type { Size } from './render/axes';
import { GRID, heatFrame, surfaceOf } from './render/heat';
import { painter } from './render/painter';
import { rowsOf } from './table';

function Surface({ panel, size }: { panel: HeatPanel; size: Size }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const z = useMemo(() => surfaceOf(panel, catalogue), [panel]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const { left, right, top, bottom } = heatFrame(panel, size);
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
    element.style.width = `${right - left}px`;
    element.style.height = `${bottom - top}px`;
    const layer = surfaceLayer(element);
    layer.resize(right - left, bottom - top);
    layer.paint({ z, nx: GRID, ny: GRID, values: panel.value.domain, log: true, isolines: [] });
  }, [panel, size, z]);
  return <canvas ref={canvas} />;
}

function Chart(props: {
  panel: Exclude<Panel, TablePanel>;
  data: CellsBySlug;
  label: string;
  height: number;
  small: boolean;
}) {
  const { panel, data, label, height, small } = props;
  const [host, width] = useWidth<HTMLDivElement>();
  const group = useRef<SVGGElement>(null);
  const paint = useMemo(() => painter(panel, data, small), [panel, data, small]);
  const size = useMemo(() => ({ width, height, small }), [width, height, small]);
  useLayoutEffect(() => {
    if (group.current && width > 0) draw(group.current, paint(size));
  }, [paint, size, width]);
  return (
    <div ref={host} className={small ? 'chart small' : `chart ${height > 300 ? 'tall' : ''}`}>
      {panel.form === 'heat' && width > 0 && <Surface panel={panel} size={size} />}
      {/* the link around a small one says what it is */}
      <svg width={width} height={height} role="img" aria-hidden={small} aria-label={label}>
        <g ref={group} />
      </svg>
    </div>
  );
}

const shown = (column: Column, field: number | string): string =>
  typeof field === 'string' ? field : decimal(field, column.digits ?? 0);

function Table({ panel, data, rows: most }: { panel: TablePanel; data: CellsBySlug; rows?: number }) {
  const all = rowsOf(panel, catalogue, data);
  const rows = most === undefined ? all : all.slice(0, most);
  const columns = most === undefined ? panel.columns : panel.columns.slice(0, panel.group === undefined ? 3 : 5);
  const grouped = panel.columns.findIndex((c) => c.label === panel.group);
  return (
    <table className="printed">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col" className={'text' in column.value ? '' : 'n'}>
              <Named name={most === undefined ? quantityAbove(column) : undefined}>{column.label}</Named>
              {most === undefined && column.unit && <small>{column.unit}</small>}
              {most === undefined && column.kind === 'published' && <Kind kind="published" />}
              {most === undefined && column.kind === 'model' && <span className="kind">model</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a printed table stand where they stand
            key={i}
            className={grouped >= 0 && i > 0 && row[grouped] !== rows[i - 1][grouped] ? 'begins' : ''}
          >
            {columns.map((column, k) => (
              <td key={column.label} className={typeof row[k] === 'string' ? '' : 'n'}>
                {shown(column, row[k])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function PanelView(props: { panel: Panel; data: CellsBySlug; label: string; height: number; small?: boolean }) {
  const { panel, data, label, height, small = false } = props;
  if (panel.form !== 'table') return <Chart panel={panel} data={data} label={label} height={height} small={small} />;
  return small ? (
    <div className="chart small" aria-hidden="true">
      <Table panel={panel} data={data} rows={6} />
    </div>
  ) : (
    <ScrollRegion label={label}>
      <Table panel={panel} data={data} />
    </ScrollRegion>
  );
}
