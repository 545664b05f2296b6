// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Look, Quantity } from '../../../../src/api/types';
import {
  changed,
  choicesFor,
  draftOf,
  mappingOf,
  openQuestions,
  ownName,
  unitAlong,
} from '../../../../src/features/upload/mapping/draft';
import { recall, remember } from '../../../../src/features/upload/mapping/memory';

const layout: Look['layout'] = { encoding: 'utf-8', separator: ';', header_row: 1, sheet: '' };

function seen(column: string, more: Partial<Look['columns'][number]>): Look['columns'][number] {
  return {
    column,
    samples: ['1'],
    levels: 1,
    filled: 1,
    role: 'observed',
    quantity: '',
    unit: '',
    units: [],
    scale: 1,
    decimal: ',',
    marked: true,
    certainty: 'certain',
    why: '',
    candidates: [],
    ...more,
  };
}

const look = {
  layout,
  columns: [
    seen('mtu', { role: 'set', quantity: 'mtu_bytes', unit: 'bytes' }),
    seen('cpu', { certainty: 'guess', candidates: ['system_cpu_percent', 'host_cpu_percent'] }),
    seen('Gbps', { quantity: 'throughput_mbps', unit: 'Gb/s', certainty: 'likely' }),
    seen('notes', { role: 'ignore' }),
  ],
} as unknown as Look;

const quantities = [
  { name: 'mtu_bytes', label: 'MTU', unit: 'bytes', role: 'factor' },
  { name: 'throughput_mbps', label: 'Throughput', unit: 'Mb/s', role: 'measure' },
  { name: 'goodput_mbps', label: 'Goodput', unit: 'Mb/s', role: 'measure' },
  { name: 'system_cpu_percent', label: 'System CPU', unit: '%', role: 'measure' },
  { name: 'host_cpu_percent', label: 'Host CPU', unit: '%', role: 'measure' },
  { name: 'system_cpu_s', label: 'System CPU time', unit: 's', role: 'measure' },
  { name: 'system_cpu_jiffies', label: 'System CPU time', unit: 'jiffies', role: 'measure' },
] as unknown as Quantity[];

const sent = (draft: ReturnType<typeof draftOf>) =>
  mappingOf(draft, layout)?.columns.map(({ column, quantity }) => [column, quantity]);

describe('a draft', () => {
  it('asks about all that is not certain, and about nothing else', () => {
    expect(openQuestions(draftOf(look))).toEqual(['choose what cpu is', 'confirm Gbps']);
  });

  it('sends what has a quantity', () => {
    expect(sent(draftOf(look))).toEqual([
      ['mtu', 'mtu_bytes'],
      ['Gbps', 'throughput_mbps'],
    ]);
  });

  it('has no more questions when the reader has answered', () => {
    const chosen = changed(draftOf(look), 'cpu', { quantity: 'host_cpu_percent' });
    const confirmed = changed(chosen, 'Gbps', {});
    expect(openQuestions(confirmed)).toEqual([]);
    expect(sent(confirmed)).toContainEqual(['cpu', 'host_cpu_percent']);
    expect(confirmed.find(({ column }) => column === 'cpu')?.certainty).toBe('yours');
  });

  it('keeps the quantity of a column that is ignored, and does not send it', () => {
    const draft = changed(draftOf(look), 'Gbps', { role: 'ignore' });
    expect(draft[2].quantity).toBe('throughput_mbps');
    expect(sent(draft)).toEqual([['mtu', 'mtu_bytes']]);
  });

  it('asks of how many CPUs a share is', () => {
    const draft = changed(draftOf(look), 'cpu', { quantity: 'host_cpu_percent', unit: '% of N CPUs' });
    expect(openQuestions(draft)).toContain('say of how many CPUs cpu is');
    expect(sent(draft)).not.toContainEqual(['cpu', 'host_cpu_percent']);
  });
});

describe('the choices of a column', () => {
  it('are those of its role, what is likely first', () => {
    const [, cpu] = draftOf(look);
    const [likely, own, run, others] = choicesFor(cpu, ['system_cpu_percent', 'host_cpu_percent'], quantities);
    expect(likely.options.map(([name]) => name)).toEqual(['system_cpu_percent', 'host_cpu_percent']);
    expect(own.options).toEqual([['measure.cpu', 'cpu']]);
    expect(run.options.map(([name]) => name)).toEqual(['n']);
    expect(others.options).toContainEqual(['system_cpu_s', 'System CPU time, s']);
    expect(others.options.map(([name]) => name)).not.toContain('mtu_bytes');
  });

  it('keep the unit between quantities of one unit, and drop it between others', () => {
    expect(unitAlong('Gb/s', 'throughput_mbps', 'goodput_mbps', quantities)).toBe('Gb/s');
    expect(unitAlong('Gb/s', 'throughput_mbps', 'host_cpu_percent', quantities)).toBe('');
    expect(unitAlong('Gb/s', 'measure.own', 'measure.other', quantities)).toBe('');
  });

  it('name one’s own by a word', () => {
    expect(ownName('CPU load (%)')).toBe('CPU_load');
    expect(ownName('!!')).toBe('column');
  });
});

class Kept implements Pick<Storage, 'getItem' | 'setItem'> {
  private readonly held = new Map<string, string>();
  getItem = (key: string) => this.held.get(key) ?? null;
  setItem = (key: string, value: string) => void this.held.set(key, value);
}

describe('what was said', () => {
  it('is remembered for the next file with the same header, and for no other', () => {
    const store = new Kept() as unknown as Storage;
    const said = changed(changed(draftOf(look), 'cpu', { quantity: 'host_cpu_percent' }), 'Gbps', {});
    remember(said, store);
    const again = recall(draftOf(look), store);
    expect(again && openQuestions(again)).toEqual([]);
    expect(again?.[1].quantity).toBe('host_cpu_percent');
    expect(recall(draftOf(look).slice(1), store)).toBeNull();
  });

  it('takes the decimal sign of each file as it is', () => {
    const store = new Kept() as unknown as Storage;
    remember(draftOf(look), store);
    const points = draftOf(look).map((each) => ({ ...each, decimal: '.' as const }));
    expect(recall(points, store)?.[2].decimal).toBe('.');
  });

  it('is nothing where the browser keeps something else, or nothing', () => {
    const store = new Kept() as unknown as Storage;
    store.setItem('coalescope.mappings', '{"a":');
    expect(recall(draftOf(look), store)).toBeNull();
    store.setItem('coalescope.mappings', '[1,["x"]]');
    expect(recall(draftOf(look), store)).toBeNull();
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    } as unknown as Storage;
    expect(() => remember(draftOf(look), full)).not.toThrow();
  });
});
