// SPDX-License-Identifier: Apache-2.0
// What comes out of the sandbox, read as a stranger's file: a model, or what is wrong and where.
import type { Outcome } from '../../engine/sandbox/sandbox';
import { GraphRefused } from '../../state/graph/graph';
import { LONGEST_DOCUMENT, readDocument, type UserDocument } from '../../state/userModel';

/** A stretch of the text: lines from 1, columns from 0. */
export interface Place {
  readonly line: number;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
}

export interface Trouble {
  readonly message: string;
  readonly advice: string;
  readonly place: Place | null;
}

export type Answer = { readonly document: UserDocument } | { readonly trouble: Trouble };

const MOST_WORDS = 2000;
const FOREIGN = 'What came back from the run is no model: the code did something else than being traced.';

const words = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MOST_WORDS) : '');
const count = (value: unknown): number | null =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 1e6 ? (value as number) : null;

function placeOf(told: Record<string, unknown>): Place | null {
  const line = count(told.line);
  if (line === null || line < 1) return null;
  return { line, column: count(told.column), endLine: count(told.end_line), endColumn: count(told.end_column) };
}

const trouble = (message: string, advice = '', place: Place | null = null): Answer => ({
  trouble: { message, advice, place },
});

function read(text: string): Answer {
  let told: unknown;
  try {
    told = text.length > LONGEST_DOCUMENT ? null : JSON.parse(text);
  } catch {
    told = null;
  }
  if (typeof told !== 'object' || told === null) return trouble(FOREIGN);
  const { document, error } = told as Record<string, unknown>;
  if (document !== undefined) {
    try {
      return { document: readDocument(document) };
    } catch (refusal) {
      if (refusal instanceof GraphRefused) return trouble(`${FOREIGN} (${refusal.message})`);
      throw refusal;
    }
  }
  if (typeof error !== 'object' || error === null) return trouble(FOREIGN);
  const own = error as Record<string, unknown>;
  return trouble(words(own.message) || FOREIGN, words(own.advice), placeOf(own));
}

export function answerOf(outcome: Outcome, limitMs: number): Answer {
  if (outcome.kind === 'answer') return read(outcome.text);
  if (outcome.kind === 'stopped')
    return trouble(
      `Stopped after ${limitMs / 1000} seconds: the code did not come to an end.`,
      'A model is run once, with symbols for numbers; an endless loop or a very long one is the usual cause. The next Run starts afresh.',
    );
  return trouble(`Python did not run: ${outcome.message}.`, 'Run tries again.');
}
