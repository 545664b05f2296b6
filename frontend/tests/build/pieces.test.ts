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
    expect(built(part('explorer'), part('home'))).toEqual([asked, asked]);
  });

  it('is not the file that everything waits for, nor what is called little of, nor what comes later', () => {
    const plain = [part('page'), part('kernels'), part('UploadPage'), part('explorer', 'asset')];
    expect(built(...plain)).toEqual(plain.map(() => 'let a;'));
  });
});
