// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { withQuery } from '../../src/api/client';
import { ApiError, errorFrom, reasonOf, Unreachable } from '../../src/api/errors';

const body = (more = {}) =>
  JSON.stringify({ error: { code: 'x', message: 'Wrong.', where: { row: 1 }, advice: 'Do it right.', ...more } });

describe('errorFrom', () => {
  it('reads the one shape', () => {
    const error = errorFrom(422, body());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 422, code: 'x', where: { row: 1 }, problems: [] });
    expect(reasonOf(error)).toBe('Wrong. Do it right.');
  });

  it('takes the page of a proxy for a server that is gone', () => {
    expect(errorFrom(502, '<html>Bad gateway</html>')).toBeInstanceOf(Unreachable);
  });

  it('takes a failure that the server itself tells for what it is', () => {
    expect(errorFrom(500, body())).toBeInstanceOf(ApiError);
  });

  it.each(['', 'null', '{"error":null}', '{"error":"no"}', '[1]'])('survives the body %s', (text) => {
    expect(reasonOf(errorFrom(404, text))).toBe('The server answered 404.');
  });
});

it('withQuery leaves out what is not given and escapes the rest', () => {
  expect(withQuery('/a', { filename: 'a b&c', title: undefined, kind: null, n: 0 })).toBe('/a?filename=a+b%26c&n=0');
  expect(withQuery('/a', {})).toBe('/a');
});
