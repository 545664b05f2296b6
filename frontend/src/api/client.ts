// SPDX-License-Identifier: Apache-2.0
import createClient from 'openapi-fetch';
import { answerFrom, currentCopy } from './copy';
import { errorFrom, Unreachable } from './errors';
import { takePreloaded } from './preloaded';
import type { paths } from './schema';
import { askForToken, authorization, currentToken, wantsToken } from './token';

async function attempt(request: Request): Promise<Response> {
  const each = request.clone();
  for (const [name, value] of Object.entries(authorization())) each.headers.set(name, value);
  try {
    return await fetch(each);
  } catch (error) {
    // A request that React Query gave up is not a server that is gone.
    if (request.signal.aborted) throw error;
    throw new Unreachable();
  }
}

/** One request; when the server wants a token, the reader is asked and the request sent again. Throws on any failure. */
async function sendRequest(request: Request): Promise<Response> {
  const copy = currentCopy();
  if (copy) return answerFrom(copy, request);
  const early = await takePreloaded(request);
  if (early) return early;
  for (;;) {
    const used = currentToken();
    const response = await attempt(request);
    if (response.ok) return response;
    const refusal = await response.text();
    if (wantsToken(response.status, refusal) && (currentToken() !== used || (await askForToken()))) continue;
    throw errorFrom(response.status, refusal);
  }
}

/** The server's API with the types of its own description. */
export const client = createClient<paths>({
  fetch: sendRequest,
  // FACTOR=VALUE as parameters of their own
  querySerializer: { object: { style: 'form', explode: true } },
});

/** openapi-fetch gives pairs as arrays; apart from that the answer must be what is asked for. */
type Widened<T> = T extends readonly [infer A, infer B]
  ? (Widened<A> | Widened<B>)[]
  : T extends readonly (infer Each)[]
    ? Widened<Each>[]
    : T extends object
      ? { [K in keyof T]: Widened<T[K]> }
      : T;

/** The body of an answer; failures were thrown before. */
export async function body<T>(answer: Promise<{ data?: Widened<T> }>): Promise<T> {
  const { data } = await answer;
  return data as T;
}

/** All pages of a list: the server names the next one in `Link`. */
export async function all<T>(
  path: '/api/experiments' | '/api/deleted-experiments',
  signal?: AbortSignal,
): Promise<T[]> {
  const found: unknown[] = [];
  for (let more = true; more; ) {
    const query = { offset: found.length || undefined };
    const { data = [], response } = await client.GET(path, { params: { query }, signal });
    found.push(...data);
    more = response.headers.has('link');
  }
  return found as T[];
}

/** A file of the server, for saving or for reading as it comes. */
export function file(path: string, signal?: AbortSignal): Promise<Response> {
  return sendRequest(new Request(path, { signal }));
}

type Query = Record<string, string | number | null | undefined>;

export function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}
