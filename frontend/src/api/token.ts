// SPDX-License-Identifier: Apache-2.0
// A server beyond loopback wants a token. It is asked for when the server first says so, and kept for this tab only.

const KEY = 'coalescope.token';

interface Question {
  promise: Promise<string | null>;
  answer: (token: string | null) => void;
}

let remembered: string | null = null;
let question: Question | null = null;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** The token to send, if one was given in this tab. */
export function currentToken(): string | null {
  try {
    return sessionStorage.getItem(KEY) ?? remembered;
  } catch {
    return remembered;
  }
}

function keep(token: string): void {
  remembered = token;
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // Kept in memory where storage is closed.
  }
}

export function authorization(): Record<string, string> {
  const token = currentToken();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Whether another token would help: there was none, it is not known, or it may not do this. */
export function wantsToken(status: number, body: string): boolean {
  return status === 401 || (status === 403 && body.includes('"scope_too_small"'));
}

/** Asks the reader once, however many requests wait for it. Null: the reader declined. */
export function askForToken(): Promise<string | null> {
  if (!question) {
    let answer: Question['answer'] = () => undefined;
    const promise = new Promise<string | null>((resolve) => {
      answer = resolve;
    });
    question = { promise, answer };
    tell();
  }
  return question.promise;
}

export function answerToken(token: string | null): void {
  const asked = question;
  question = null;
  if (token) keep(token);
  asked?.answer(token);
  tell();
}

export const tokenQuestion = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isOpen: (): boolean => question !== null,
  /** Whether a token was given before, and refused. */
  isRefused: (): boolean => question !== null && currentToken() !== null,
};
