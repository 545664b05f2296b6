// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { Link } from 'wouter';
import { useCells, useCellsOfUploads, useExperiment, useQuantities } from '../../api/queries';
import type { Quantity, UploadReceipt } from '../../api/types';
import { inWords, labelOf, shortLabel } from '../../components/factorWords';
import { type Coverage, type CoverageCell, cameWith, coverageOf, sliceOf, slicesOf, spanOf } from './coverage';

const TICKS_MOST = 12;

function axisLabel(name: string, quantities: readonly Quantity[] | undefined): string {
  const unit = quantities?.find((quantity) => quantity.name === name)?.unit;
  return `${shortLabel(name, labelOf(name, quantities))}${unit ? `, ${unit}` : ''}`;
}

/** One tick a replicate while they can be counted, else a bar. */
function Ticks({ runs, added, most }: CoverageCell & { most: number }) {
  if (most > TICKS_MOST)
    return (
      <span className="ticks">
        <i className="had" style={{ flexGrow: runs - added }} />
        <i className="new" style={{ flexGrow: added }} />
        <i style={{ flexGrow: most - runs }} />
      </span>
    );
  const look = (i: number) => (i < runs - added ? 'had' : i < runs ? 'new' : undefined);
  return (
    <span className="ticks">
      {Array.from({ length: most }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the ticks have no other identity
        <i key={i} className={look(i)} />
      ))}
    </span>
  );
}

function Grid({ coverage, quantities }: { coverage: Coverage; quantities: readonly Quantity[] | undefined }) {
  const { x, y, columns, lines, cells, most } = coverage;
  return (
    <table className="coverage">
      <caption className="sr">Replicates on disk for each cell</caption>
      <tbody>
        {lines.map((line, j) => (
          <tr key={line}>
            <th scope="row">{line}</th>
            {columns.map((column, i) => {
              const cell = cells[j][i];
              return (
                <td key={column} className={cell.runs ? undefined : 'none'}>
                  <span className="count">
                    {cell.added ? <b>{cell.runs}</b> : cell.runs}
                    {cell.added > 0 && <em>+{cell.added}</em>}
                  </span>
                  <Ticks {...cell} most={most} />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
      {x && (
        <tfoot>
          <tr>
            <th scope="row">{y && shortLabel(y, labelOf(y, quantities))}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
          <tr>
            <td />
            <td colSpan={columns.length} className="axis">
              {axisLabel(x, quantities)}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** What the experiment has now: before, with this upload, and what is missing. */
export function CoverageGrid({ slug, receipts }: { slug: string; receipts: readonly UploadReceipt[] }) {
  const experiment = useExperiment(slug);
  const cells = useCells(slug);
  const quantities = useQuantities();
  const [chosen, choose] = useState<string | null>(null);
  const came = cameWith(receipts.filter((one) => one.experiment.slug === slug));
  const more = useCellsOfUploads(came.longer);
  if (!experiment.data || !cells.data?.cells.length || !more) return null;
  const all = cells.data.cells;
  const span = spanOf(experiment.data);
  const slices = slicesOf(all, span);
  const latest = receipts.findLast((one) => one.experiment.slug === slug && one.runs.length > 0)?.runs[0];
  const wanted = chosen ?? (latest && sliceOf(latest.factors, span));
  const slice = wanted !== undefined && slices.has(wanted) ? wanted : [...slices.keys()][0];
  const coverage = coverageOf(all, span, slice, [...more, ...came.cells]);
  return (
    <>
      <h2 className="cap">
        Replicates on disk <small>{coverage.most > 1 && `at most ${coverage.most} in a cell`}</small>
      </h2>
      {slices.size > 1 && (
        <label className="field">
          <span className="sr">Settings</span>
          <select value={slice} onChange={(event) => choose(event.currentTarget.value)}>
            {[...slices].map(([key, others]) => (
              <option key={key} value={key}>
                {inWords(others, null, quantities.data)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Grid coverage={coverage} quantities={quantities.data} />
      <ul className="key">
        <li>
          <i className="had" />
          before
        </li>
        <li>
          <i className="new" />
          this upload
        </li>
        <li>
          <i />
          missing
        </li>
      </ul>
      <p className="promise">
        “On disk” means that the bytes and their rows would survive a power cut. Sending a file again changes nothing.
      </p>
      <Link className="action" href={`/explorer/${slug}`}>
        Open in the explorer
      </Link>
    </>
  );
}
