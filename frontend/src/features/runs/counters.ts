// SPDX-License-Identifier: Apache-2.0
// Counters with those of single queues beside the total. No DOM.
import type { Contents } from '../../api/types';

interface CounterRow {
  readonly name: string;
  readonly unit: string;
  readonly source: string;
  /** Undefined: only queues were counted. Null: not known. */
  readonly total: number | null | undefined;
  readonly by: Readonly<Record<string, number | null>>;
}

export function countersOf(counters: Contents['counters']): { instances: string[]; rows: CounterRow[] } {
  const instances = [...new Set(counters.flatMap(({ instance }) => (instance === null ? [] : [instance])))];
  const names = [...new Set(counters.map(({ name }) => name))];
  const rows = names.map((name) => {
    const own = counters.filter((each) => each.name === name);
    const total = own.find(({ instance }) => instance === null);
    return {
      name,
      unit: own[0].unit,
      source: own[0].source,
      total: total?.advance,
      by: Object.fromEntries(
        own.flatMap(({ instance, advance }) => (instance === null ? [] : [[instance, advance] as const])),
      ),
    };
  });
  return { instances: instances.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })), rows };
}

/** `q3` counts a queue, `41` an interrupt line (docs/run-log-format.md). */
export function instanceInWords(instance: string): string {
  if (/^q\d+$/.test(instance)) return `queue ${instance.slice(1)}`;
  return /^\d+$/.test(instance) ? `line ${instance}` : instance;
}
