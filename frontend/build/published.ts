// SPDX-License-Identifier: Apache-2.0
// The published numbers that each model is held against, from the table that docs/published_vs_predicted.py writes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PublishedNumber } from '../src/state/models.ts';

export const publishedTable = fileURLToPath(new URL('../../docs/published-vs-predicted.md', import.meta.url));

function numbersOf(markdown: string): PublishedNumber[] {
  let document = '';
  const out: PublishedNumber[] = [];
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) document = line.slice(3).trim();
    if (!line.startsWith('| ')) continue;
    const [what, published, ours, how, from, remark = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (what !== 'what') out.push({ document, what, published, ours, how, from, remark });
  }
  return out;
}

/** By model: the numbers that it predicts. A row “the same” belongs to the model of the row above it. */
export function publishedBy(markdown: string, models: readonly string[]): Readonly<Record<string, PublishedNumber[]>> {
  const by: Record<string, PublishedNumber[]> = Object.fromEntries(models.map((id) => [id, []]));
  let above: string | undefined;
  for (const number of numbersOf(markdown)) {
    const [first] = number.from.split(/[\s,:;]/);
    if (!number.from.startsWith('the same')) above = models.find((id) => id === first);
    if (above !== undefined) by[above].push(number);
  }
  return by;
}

export const readPublished = (models: readonly string[]) => publishedBy(readFileSync(publishedTable, 'utf8'), models);
