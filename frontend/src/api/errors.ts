// SPDX-License-Identifier: Apache-2.0
import type { ErrorBody, Problem, Where } from './types';

/** The server answered, and refused: what, where in the input, and what to do about it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly where: Where;
  readonly advice: string | null;
  /** Every fault of an input that has several; the error itself repeats the first. */
  readonly problems: Problem[];

  constructor(status: number, body: Problem & Partial<ErrorBody>) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.where = body.where ?? {};
    this.advice = body.advice ?? null;
    this.problems = body.problems ?? [];
  }
}

/** The server did not answer: it is down, or the way to it is. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  constructor() {
    super('The server does not answer.');
  }
}

/** What was asked for is not there; asking again does not help. */
export const isMissing = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 404;

/** It was there, and whoever may delete can restore it. */
export const isDeleted = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'experiment_deleted';

function isErrorBody(body: unknown): body is { error: ErrorBody } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/**
 * The error in an answer that is not a success. A body in another shape is not from this server: a proxy in front of it
 * says with 5xx that nobody is behind it, else only the bare status is known.
 */
export function errorFrom(status: number, body: unknown): ApiError | Unreachable {
  const parsed = typeof body === 'string' ? parse(body) : body;
  if (isErrorBody(parsed)) return new ApiError(status, parsed.error);
  if (status >= 500) return new Unreachable();
  return new ApiError(status, {
    code: 'unexpected_answer',
    message: `The server answered ${status}.`,
    where: {},
    advice: null,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What went wrong, in one sentence for the page. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.advice ? `${error.message} ${error.advice}` : error.message;
  if (error instanceof Error) return error.message;
  return String(error);
}

/** The same of what was chosen on the page: the server's advice on what is missing is for a shell. */
export const reasonOfChoice = (error: unknown): string =>
  isMissing(error) ? `${error.message} Choose another.` : reasonOf(error);
