// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { calledAtOnce } from '../../build/pieces.ts';

interface Part {
  readonly type: 'chunk' | 'asset';
  readonly name: string;
  code: string;
}

const part = (name: string, type: Part['type'] = 'chunk'): Part => ({ type, name, code: 'let a;' });

function built(...parts: Part[]): readonly string[] {
  const { handler } = calledAtOnce().generateBundle as { handler(options: object, bundle: Record<string, Part>): void };
  handler({}, Object.fromEntries(parts.map((each, i) => [String(i), each])));
  return parts.map(({ code }) => code);
}

describe('what is compiled as it comes', () => {
  it('is all of the files that draw a page first, as their first line says', () => {
    const asked = '//# allFunctionsCalledOnLoad\nlet a;';
    expect(built(part('page'), part('explorer'), part('home'))).toEqual([asked, asked, asked]);
  });

  it('is not what comes later', () => {
    expect(built(part('UploadPage'), part('page', 'asset'))).toEqual(['let a;', 'let a;']);
  });
});
