// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { publishedBy, readPublished } from '../../build/published';
import { catalogue } from '../../src/engine/catalogue';

const TABLE = `
## A paper

| what | published | ours | how | from | |
|---|---|---|---|---|---|
| bound | 987 | 987.0 | predicted | link-bound, 1 Gb/s |  |
| and again | 993 | 993.4 | tuned | the same | near |
| elsewhere | 3 | 3 | follows | table 2 |  |
| after it | 4 | 4 | given | the same |  |
`;

describe('published numbers', () => {
  it('belong to the model that they are predicted by, and “the same” to the one above', () => {
    const by = publishedBy(TABLE, ['link-bound', 'bus-bound']);
    expect(by['link-bound'].map((n) => n.what)).toEqual(['bound', 'and again']);
    expect(by['link-bound'][1]).toEqual({
      document: 'A paper',
      what: 'and again',
      published: '993',
      ours: '993.4',
      how: 'tuned',
      from: 'the same',
      remark: 'near',
    });
    expect(by['bus-bound']).toEqual([]);
  });

  it('are found in the table that the project writes', () => {
    const by = readPublished(catalogue.models.map((m) => m.id));
    expect(by['link-bound'].length).toBeGreaterThan(3);
    expect(by['cpu-overhead'].find((n) => n.what === 'NFS fit, α')?.how).toBe('fitted');
  });
});
