// SPDX-License-Identifier: Apache-2.0
// The text, in an editor that stands in a shadow root: there it may bring its style sheets along, which the page's policy forbids elsewhere.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec, Transaction } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useLayoutEffect, useRef } from 'react';
import { LONGEST_SOURCE } from '../../state/sourceLink';
import type { Place, Trouble } from './answer';

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--ground)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--text-least)',
    lineHeight: '1.25rem',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--ground-2)', color: 'var(--ink-3)', border: '0' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'var(--ground-3)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--ground-3)',
    outline: '1px solid var(--line-3)',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    backgroundColor: 'var(--bad-wash)',
    borderBottom: '2px solid var(--bad)',
  },
  '.cm-gutter-lint': { width: '1rem' },
  '.cm-lint-marker': { content: '"✕"', width: '0.75rem', color: 'var(--bad)', fontWeight: '600' },
  '.cm-tooltip': {
    backgroundColor: 'var(--ground)',
    color: 'var(--ink)',
    border: '1px solid var(--line-2)',
    fontFamily: 'var(--font-ui)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
});

const ink = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.controlKeyword, tags.moduleKeyword], fontWeight: '600' },
  { tag: [tags.comment, tags.docString], color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--ink-2)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--kind-published)' },
  { tag: tags.function(tags.definition(tags.variableName)), fontWeight: '600' },
]);

export interface EditorHandle {
  text(): string;
  /** Another text: the history of changes starts over. */
  open(text: string): void;
  show(trouble: Trouble | null): void;
  goTo(place: Place): void;
}

function spanOf(state: EditorState, { line, column, endLine, endColumn }: Place): { from: number; to: number } {
  const first = state.doc.line(Math.min(line, state.doc.lines));
  const last = state.doc.line(Math.min(Math.max(endLine ?? line, first.number), state.doc.lines));
  const from = Math.min(first.from + (column ?? first.text.length - first.text.trimStart().length), first.to);
  const to = Math.max(from, Math.min(endColumn === null ? first.to : last.from + endColumn, last.to));
  // an empty stretch cannot be seen: the whole line then
  return to > from ? { from, to } : { from: first.from, to: first.to };
}

function diagnosticsOf(state: EditorState, trouble: Trouble | null): Diagnostic[] {
  if (!trouble?.place) return [];
  return [{ ...spanOf(state, trouble.place), severity: 'error', message: trouble.message }];
}

export function Editor(props: { onReady(handle: EditorHandle | null): void; onChange(): void; onRun(): void }) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  // with what is shown beside it, not after: Run can be pressed as soon as it is seen
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const extensions = [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      highlightSpecialChars(),
      indentUnit.of('    '),
      indentOnInput(),
      bracketMatching(),
      python(),
      syntaxHighlighting(ink),
      look,
      Prec.highest(
        keymap.of([
          {
            key: 'Mod-Enter',
            run: () => {
              latest.current.onRun();
              return true;
            },
          },
        ]),
      ),
      // Tab is not bound: it leaves the editor, as it leaves every field
      keymap.of([...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({
        tabindex: '0',
        'aria-label': 'Python of the model',
        'aria-description': 'Control and Enter runs it. Tab leaves the editor.',
      }),
      EditorState.changeFilter.of((change) => change.newDoc.length <= LONGEST_SOURCE),
      EditorView.updateListener.of((update) => {
        const overrides = update.transactions.some((t) => t.annotation(Transaction.userEvent) !== undefined);
        if (update.docChanged && overrides) latest.current.onChange();
      }),
    ];
    const stateOf = (text: string) => EditorState.create({ doc: text.slice(0, LONGEST_SOURCE), extensions });
    const view = new EditorView({ state: stateOf(''), parent: root, root });
    latest.current.onReady({
      text: () => view.state.doc.toString(),
      open: (text) => view.setState(stateOf(text)),
      show: (trouble) => view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, trouble))),
      goTo(place) {
        const { from, to } = spanOf(view.state, place);
        view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
        view.focus();
      },
    });
    return () => {
      latest.current.onReady(null);
      view.destroy();
    };
  }, []);
  return <div className="code" ref={host} />;
}
