// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { isOwnPath } from '../../../src/features/links/LinkPage';

describe('a short link', () => {
  it.each(['/', '/explorer/geist-2005-nfs?mtu=1500'])('leads to %s', (path) => expect(isOwnPath(path)).toBe(true));
  it.each(['https://elsewhere.example', '//elsewhere.example', '/\\elsewhere', 'explorer', '/l/again'])(
    'never to %s',
    (path) => expect(isOwnPath(path)).toBe(false),
  );
});
