// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { all } from '../../src/api/client';

afterEach(() => vi.unstubAllGlobals());

/** A server whose pages have three. */
function serve(stored: readonly string[]): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname, search, searchParams } = new URL(request.url);
    asked.push(pathname + search);
    const offset = Number(searchParams.get('offset') ?? 0);
    const link = stored.length > offset + 3 ? { Link: `<?offset=${offset + 3}>; rel="next"` } : undefined;
    return Response.json(stored.slice(offset, offset + 3), { headers: link });
  });
  return asked;
}

it('asks for pages until none is named', async () => {
  const asked = serve(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect(await all('/api/experiments')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect(asked).toEqual(['/api/experiments', '/api/experiments?offset=3', '/api/experiments?offset=6']);
});

it('asks once where one page has all', async () => {
  const asked = serve(['a', 'b', 'c']);
  expect(await all('/api/deleted-experiments')).toEqual(['a', 'b', 'c']);
  expect(asked).toEqual(['/api/deleted-experiments']);
});
