// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from 'vitest';

type Token = typeof import('../../src/api/token');
let token: Token;

beforeEach(async () => {
  sessionStorage.clear();
  vi.resetModules();
  token = await import('../../src/api/token');
});

describe('the token', () => {
  it('is asked for once, however many requests wait for it', async () => {
    const first = token.askForToken();
    const second = token.askForToken();
    expect(token.tokenQuestion.isOpen()).toBe(true);
    token.answerToken('secret');
    expect(await Promise.all([first, second])).toEqual(['secret', 'secret']);
    expect(token.tokenQuestion.isOpen()).toBe(false);
  });

  it('is sent along from then on, and kept for this tab only', () => {
    expect(token.authorization()).toEqual({});
    void token.askForToken();
    token.answerToken('secret');
    expect(token.authorization()).toEqual({ Authorization: 'Bearer secret' });
    expect(sessionStorage.getItem('coalescope.token')).toBe('secret');
    expect(localStorage.getItem('coalescope.token')).toBeNull();
  });

  it('need not be given', async () => {
    const asked = token.askForToken();
    token.answerToken(null);
    expect(await asked).toBeNull();
    expect(token.authorization()).toEqual({});
  });

  it('is wanted where another one would help, and not where it would not', () => {
    expect(token.wantsToken(401, '')).toBe(true);
    expect(token.wantsToken(403, '{"error":{"code":"scope_too_small"}}')).toBe(true);
    expect(token.wantsToken(403, '{"error":{"code":"foreign_origin"}}')).toBe(false);
    expect(token.wantsToken(422, '"scope_too_small"')).toBe(false);
  });
});
