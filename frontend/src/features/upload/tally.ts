// SPDX-License-Identifier: Apache-2.0
// What the list of files amounts to, in numbers and words.
import { decimal } from '../../plots/number';
import type { Item, Phase } from './queue';

export type Look = 'ok' | 'partial' | 'known' | 'bad' | 'sending' | 'waiting';

export function isPartial(item: Item): boolean {
  return item.receipt?.outcome === 'stored' && item.receipt.runs.some(({ partial }) => partial);
}

export function lookOf(item: Item): Look {
  if (item.phase === 'stored') return isPartial(item) ? 'partial' : 'ok';
  if (item.phase === 'refused' || item.phase === 'failed') return 'bad';
  if (item.phase === 'known' || item.phase === 'sending') return item.phase;
  return 'waiting';
}

interface Tally {
  files: number;
  onDisk: number;
  settled: boolean;
  bytes: number;
  bytesSent: number;
  counts: Record<Phase, number>;
}

export function tallyOf(items: readonly Item[]): Tally {
  const counts: Record<Phase, number> = {
    held: 0,
    waiting: 0,
    sending: 0,
    stored: 0,
    known: 0,
    refused: 0,
    failed: 0,
  };
  let bytes = 0;
  let bytesSent = 0;
  for (const { phase, file, sent } of items) {
    counts[phase] += 1;
    bytes += file.size;
    bytesSent += phase === 'sending' || phase === 'stored' || phase === 'known' ? sent : 0;
  }
  return {
    files: items.length,
    onDisk: counts.stored + counts.known,
    settled: counts.waiting + counts.sending + counts.held === 0,
    bytes,
    bytesSent,
    counts,
  };
}

/** `1 refused, 1 already uploaded, 1 sending, 2 waiting`: what is not plainly on disk. */
export function restInWords({ counts }: Tally): string {
  const parts: [number, string][] = [
    [counts.refused, 'refused'],
    [counts.failed, 'not sent'],
    [counts.known, 'already uploaded'],
    [counts.sending, 'sending'],
    [counts.held, 'without an experiment'],
    [counts.waiting, 'waiting'],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

function scaleOf(bytes: number): number {
  const power = bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3);
  return Math.max(0, Math.min(UNITS.length - 1, power));
}

function inUnit(bytes: number, power: number): string {
  const value = bytes / 1000 ** power;
  return decimal(value, power === 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2);
}

/** `125 kB`, `1.73 MB` (10³ and 10⁶ bytes). */
export function size(bytes: number): string {
  const power = scaleOf(bytes);
  return `${inUnit(bytes, power)} ${UNITS[power]}`;
}

/** `78 of 125 kB`: both in the unit of the whole. */
export function sizeOf(part: number, whole: number): string {
  const power = scaleOf(whole);
  return `${inUnit(part, power)} of ${inUnit(whole, power)} ${UNITS[power]}`;
}

export interface Segment {
  look: Look;
  bytes: number;
  /** The share of it that is sent, for one on its way. */
  done: number;
}

const DISTINCT_MOST = 60;
const ORDER: readonly Look[] = ['ok', 'partial', 'known', 'bad', 'sending', 'waiting'];

/** The bar over the list: a segment a file while they can be told apart, else one for each state. */
export function segmentsOf(items: readonly Item[]): Segment[] {
  const each = items.map((item) => ({
    look: lookOf(item),
    bytes: Math.max(1, item.file.size),
    done: item.sent / Math.max(1, item.file.size),
  }));
  const sorted = [...each].sort((a, b) => ORDER.indexOf(a.look) - ORDER.indexOf(b.look));
  if (items.length <= DISTINCT_MOST) return sorted;
  return ORDER.flatMap((look) => {
    const same = sorted.filter((segment) => segment.look === look);
    const bytes = same.reduce((sum, segment) => sum + segment.bytes, 0);
    const sent = same.reduce((sum, segment) => sum + segment.bytes * segment.done, 0);
    return bytes ? [{ look, bytes, done: sent / bytes }] : [];
  });
}

export interface Group {
  name: 'trouble' | 'held' | 'sending' | 'remarked' | 'stored' | 'waiting';
  items: Item[];
}

function groupOf(item: Item): Group['name'] {
  const look = lookOf(item);
  if (look === 'bad') return 'trouble';
  if (item.phase === 'held') return 'held';
  if (look === 'partial' || look === 'known' || item.receipt?.warnings.length) return 'remarked';
  if (look === 'ok') return 'stored';
  return look === 'sending' ? 'sending' : 'waiting';
}

const GROUPS: readonly Group['name'][] = ['trouble', 'held', 'sending', 'remarked', 'stored', 'waiting'];

/** What needs the reader first, what is fine later, what still waits last. */
export function groupsOf(items: readonly Item[]): Group[] {
  return GROUPS.map((name) => ({ name, items: items.filter((item) => groupOf(item) === name) })).filter(
    ({ items: inGroup }) => inGroup.length > 0,
  );
}
