// SPDX-License-Identifier: Apache-2.0
import { type KeyboardEvent, useMemo, useState } from 'react';
import { brief } from '../plots/number';
import { middles, stretchAt, type TimedRun, timeline } from '../plots/timeline';
import { Drawing, useWidth } from './Drawing';

const STEP: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 };
const MOST_ROWS = 40;

/** How runs went over their time. Drag, or the arrow keys, move the crosshair; Escape takes it away. */
export function Timeline({ runs, label }: { runs: readonly TimedRun[]; label: string }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number | null>(null);
  const picture = useMemo(() => timeline(runs, width || 720, at), [runs, width, at]);
  const edges = runs[0].contents.edges_s;
  if (edges.length < 2) return <p>Too few records to draw a line.</p>;

  function onKey(event: KeyboardEvent) {
    const step = STEP[event.key];
    if (event.key === 'Escape') setAt(null);
    if (step === undefined) return;
    event.preventDefault();
    const now = at === null ? (step > 0 ? -1 : edges.length - 1) : stretchAt(edges, at);
    const next = Math.max(0, Math.min(edges.length - 2, now + step));
    setAt(middles(edges)[next]);
  }

  return (
    <div ref={place}>
      {width > 0 && (
        <Drawing
          label={`${label}. Arrow keys move the crosshair.`}
          width={width}
          height={picture.height}
          shapes={picture.shapes}
          onPoint={(point) => {
            const moment = point && picture.time.invert(point.x);
            setAt(moment === null ? null : Math.max(0, Math.min(edges.at(-1) ?? 0, moment)));
          }}
          onKey={onKey}
        />
      )}
      <p className="sr" aria-live="polite">
        {at !== null && spoken(runs[0], at)}
      </p>
      {runs.map((run) => (
        <Points key={run.name} run={run} />
      ))}
    </div>
  );
}

function spoken({ contents }: TimedRun, at: number): string {
  const k = stretchAt(contents.edges_s, at);
  const said = contents.series.map(({ label, mean, unit }) => {
    const value = mean[k];
    return `${label} ${value === null ? 'not known' : `${brief(value)} ${unit}`}`;
  });
  return `At ${brief(at)} s: ${said.join(', ')}`;
}

/** The same for those who do not see the picture, every so many-th stretch of a long run. */
function Points({ run }: { run: TimedRun }) {
  const { edges_s: edges, series } = run.contents;
  const every = Math.ceil((edges.length - 1) / MOST_ROWS);
  return (
    <div className="sr">
      <table>
        <caption>{run.name}</caption>
        <thead>
          <tr>
            <th scope="col">From, s</th>
            {series.map(({ name, label, unit }) => (
              <th key={name} scope="col">{`${label}, ${unit}`}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {edges.slice(0, -1).map((edge, k) =>
            k % every === 0 ? (
              <tr key={edge}>
                <td>{brief(edge)}</td>
                {series.map(({ name, mean }) => (
                  <td key={name}>{mean[k] === null ? 'not known' : brief(mean[k] ?? 0)}</td>
                ))}
              </tr>
            ) : null,
          )}
        </tbody>
      </table>
    </div>
  );
}
