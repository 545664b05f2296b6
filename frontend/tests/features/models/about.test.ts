// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { aboutModel } from '../../../src/engine/about';
import { catalogue } from '../../../src/engine/catalogue';
import { partsOf } from '../../../src/features/models/python';

describe('what a model’s page tells', () => {
  it('is there for every model', async () => {
    for (const { id } of catalogue.models) {
      const told = await aboutModel(id);
      expect(told?.use, id).toMatch(/\.$/);
      expect(told?.assumptions.length).toBeGreaterThan(1);
      expect(told?.limits.length).toBeGreaterThan(1);
      expect(told?.source.text).toContain('def ');
      expect(
        partsOf(told?.source.text ?? '')
          .map((p) => p.text)
          .join(''),
      ).toBe(told?.source.text);
    }
    expect(await aboutModel('no-such-model')).toBeNull();
  });
});

describe('Python in its parts', () => {
  it('knows comments, strings, numbers and keywords', () => {
    const kinds = partsOf('def f(x2):  # "not" 1\n    return "if" + 1.5e-3')
      .filter((p) => p.kind !== 'plain')
      .map(({ kind, text }) => [kind, text]);
    expect(kinds).toEqual([
      ['keyword', 'def'],
      ['comment', '# "not" 1'],
      ['keyword', 'return'],
      ['string', '"if"'],
      ['number', '1.5e-3'],
    ]);
  });
});
