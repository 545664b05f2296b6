// SPDX-License-Identifier: Apache-2.0
// The kinds of marks of a figure: shape and word.
import { KindGlyph } from '../../components/Kind';
import { catalogue } from '../../engine/catalogue';
import type { Figure, MarkKind } from './definition';
import { drawnWords } from './drawn';

const ORDER: readonly MarkKind[] = ['published', 'emulated', 'model'];

/** Kinds that a figure shows, from its definition alone. */
export function kindsOf(figure: Figure): MarkKind[] {
  const kinds = figure.panels.flatMap((panel): MarkKind[] => {
    if (panel.form === 'lines')
      return panel.sources.map((s) =>
        s.from === 'cells' ? s.cells.kind : s.from === 'statement' ? 'published' : 'model',
      );
    if (panel.form === 'heat') return ['model', ...panel.marks.map((m) => m.cells.kind)];
    if (panel.form === 'bars') return ['cells' in panel.bars ? panel.bars.cells.kind : 'model'];
    return panel.columns.flatMap((c) => (c.kind === 'setting' ? [] : [c.kind]));
  });
  return ORDER.filter((kind) => kinds.includes(kind));
}

/** `of`: what is drawn of this kind. */
export function MarkName({ kind, of = '' }: { kind: MarkKind; of?: string }) {
  return (
    <span className={`kind ${kind === 'model' ? 'theory' : kind}`}>
      {kind === 'model' ? (
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <path d="M0 5h10" stroke="currentColor" strokeWidth="1.6" />
        </svg>
      ) : (
        <KindGlyph kind={kind} />
      )}
      {kind}
      {of && `: ${of}`}
    </span>
  );
}

/** The key of a figure: each kind with what is drawn of it. */
export function Kinds({ figure }: { figure: Figure }) {
  return kindsOf(figure).map((kind) => <MarkName key={kind} kind={kind} of={drawnWords(figure, kind, catalogue)} />);
}
