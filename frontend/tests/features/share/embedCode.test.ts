// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { embedCode } from '../../../src/features/share/embedCode';

describe('the code of an embed', () => {
  it('is one frame, whatever the title and the address hold', () => {
    const code = embedCode({
      address: 'https://lab.example/embed/explorer/a?x=1&y="><script>',
      title: '"><script>alert(1)</script>',
      width: 720,
      height: 600,
    });
    expect(code.match(/<[a-z]+/g)).toEqual(['<iframe']);
    // six attributes, and no quotation mark beside theirs
    expect(code.match(/"/g)).toHaveLength(12);
    expect(code).toContain('?x=1&amp;y=&quot;&gt;&lt;script&gt;"');
    expect(code).toContain('width="720" height="600" loading="lazy"');
  });
});
