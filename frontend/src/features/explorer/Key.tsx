// SPDX-License-Identifier: Apache-2.0
// What the marks mean; only those that are on the screen.
import { memo } from 'react';
import { KindGlyph } from '../../components/Kind';
import type { View } from '../../state/view';
import { type CellMark as CellMarkName, cellMarksOf, extrapolates, JOINED, joins } from './figure/key';

function CellMark({ dashed, hollow, view }: { dashed?: boolean; hollow?: boolean; view: View }) {
  return (
    <svg width="14" height="18" aria-hidden="true" className="cellmark">
      {!hollow && <path d="M7 1v16" stroke="currentColor" strokeDasharray={dashed ? '2 1.5' : undefined} />}
      <svg
        aria-hidden="true"
        x="2"
        y="4"
        width="10"
        height="10"
        viewBox="0 0 10 10"
        className={hollow ? 'hollow' : undefined}
      >
        <KindGlyph kind={view.kind ?? 'measured'} />
      </svg>
    </svg>
  );
}

/** A mark as it is in the picture, beside its words. */
function CellGlyph({ mark, view }: { mark: CellMarkName; view: View }) {
  if (mark !== 'bare') return <CellMark view={view} dashed={mark === 'pooled'} hollow={mark === 'single'} />;
  return (
    <svg width="12" height="12" aria-hidden="true">
      <svg aria-hidden="true" x="1" y="1" width="10" height="10" viewBox="0 0 10 10">
        <KindGlyph kind={view.kind ?? 'measured'} />
      </svg>
    </svg>
  );
}

/** Tiles of a residual or difference map. */
function TileKey({ view }: { view: View }) {
  const [one, other] =
    view.figure === 'residuals' ? ['cell', 'the model'] : ['this experiment', view.partner?.title ?? 'the other'];
  const words = view.figure === 'residuals' ? ['above', 'below'] : ['has more than', 'has less than'];
  return (
    <ul className="key" aria-label="Key">
      {(['over', 'under'] as const).map((side, i) => (
        <li key={side}>
          <svg width="14" height="12" aria-hidden="true" className={side}>
            <rect width="14" height="12" fill="currentColor" />
          </svg>
          {one} {words[i]} {other}
        </li>
      ))}
      <li>
        <svg width="20" height="12" aria-hidden="true" className="even">
          <rect width="20" height="12" fill="currentColor" />
          <rect x="1.5" y="1.5" width="17" height="9" fill="none" stroke="var(--line-3)" strokeDasharray="2 2" />
        </svg>
        pale: not significant
      </li>
      {[...view.points, ...(view.partner?.points ?? [])].some((p) => p.half === null) && (
        <li>
          <svg width="12" height="12" aria-hidden="true" viewBox="0 0 10 10" className="hollowmark">
            <KindGlyph kind={view.kind ?? 'measured'} />
          </svg>
          hollow: no interval to judge by
        </li>
      )}
    </ul>
  );
}

export const Key = memo(function Key({ view }: { view: View }) {
  if (!view.measured) return null;
  if (view.figure === 'limits') return <ul className="key" aria-label="Key" />;
  if (view.figure === 'residuals' || view.figure === 'difference') return <TileKey view={view} />;
  const plane = view.layout.shape === 'plane';
  return (
    <ul className="key" aria-label="Key">
      {cellMarksOf(view).map(([mark, words]) => (
        <li key={mark}>
          <CellGlyph mark={mark} view={view} />
          {words}
        </li>
      ))}
      {view.dependence && <li>{view.dependence}</li>}
      {joins(view) && (
        <li>
          <svg width="28" height="12" aria-hidden="true">
            <path d="M5 6h18" stroke="var(--line-3)" strokeWidth="3" />
            <rect x="1" y="2" width="8" height="8" fill="var(--surface-5)" stroke="currentColor" />
            <rect x="19" y="2" width="8" height="8" fill="var(--surface-5)" stroke="currentColor" />
          </svg>
          {JOINED}
        </li>
      )}
      {extrapolates(view) && (
        <li>
          <svg width="20" height="12" aria-hidden="true">
            <rect width="20" height="12" fill="var(--surface-3)" />
            <rect width="20" height="12" fill="var(--ground)" opacity=".42" />
            <path d="M0 12L12 0M6 14L20 0M-6 12L6 0M14 14L28 0" stroke="var(--ground)" strokeWidth="1.8" opacity=".6" />
          </svg>
          extrapolated
        </li>
      )}
      {plane && view.figure === 'map' && view.slice.toCome.length > 0 && (
        <li>
          <svg width="12" height="12" aria-hidden="true">
            <circle
              cx="6"
              cy="6"
              r="3.5"
              fill="none"
              stroke="var(--ink-2)"
              strokeWidth="1.25"
              strokeDasharray="2 1.5"
            />
          </svg>
          planned, not measured yet
        </li>
      )}
      {view.points.some((p) => p.partial) && <li>some runs are partial</li>}
    </ul>
  );
});
