// SPDX-License-Identifier: Apache-2.0
// Python in its parts, enough to read it by.

type PartKind = 'plain' | 'comment' | 'string' | 'number' | 'keyword';

export interface Part {
  readonly kind: PartKind;
  readonly text: string;
}

const KEYWORDS =
  'and|as|assert|class|def|elif|else|False|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|while|with|yield';

const PARTS = new RegExp(
  [
    '(?<comment>#[^\\n]*)',
    '(?<string>[rfb]?(?:"""[\\s\\S]*?"""|"(?:\\\\.|[^"\\\\\\n])*"|\'(?:\\\\.|[^\'\\\\\\n])*\'))',
    '(?<number>\\b\\d[\\d_]*(?:\\.\\d*)?(?:e[+-]?\\d+)?\\b)',
    `(?<keyword>\\b(?:${KEYWORDS})\\b)`,
  ].join('|'),
  'g',
);

/** Together the parts are the text. */
export function partsOf(text: string): Part[] {
  const out: Part[] = [];
  let at = 0;
  for (const found of text.matchAll(PARTS)) {
    if (found.index > at) out.push({ kind: 'plain', text: text.slice(at, found.index) });
    const [kind] = Object.entries(found.groups ?? {}).find(([, part]) => part !== undefined) ?? ['plain'];
    out.push({ kind: kind as PartKind, text: found[0] });
    at = found.index + found[0].length;
  }
  if (at < text.length) out.push({ kind: 'plain', text: text.slice(at) });
  return out;
}
