// SPDX-License-Identifier: Apache-2.0
import { errorFrom, Unreachable } from './errors';
import { askForToken, authorization, currentToken } from './token';

type Query = Record<string, string | number | null | undefined>;

export function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}

/** One request; when the server wants a token, the reader is asked and the request sent again. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const used = currentToken();
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers: { ...init.headers, ...authorization() } });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new Unreachable();
    }
    if (response.ok) return response;
    if (response.status === 401 && (currentToken() !== used || (await askForToken()))) continue;
    throw errorFrom(response.status, await response.text());
  }
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const response = await send(withQuery(path, query), { signal });
  return response.json() as Promise<T>;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json() as Promise<T>;
}
