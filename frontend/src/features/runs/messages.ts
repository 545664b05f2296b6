// SPDX-License-Identifier: Apache-2.0
// A run in words and numbers. No DOM.
import type {
  Correction,
  Factors,
  FactorValue,
  MeasureOf,
  Quantity,
  Run,
  RunEvent,
  RunState,
  RunWarnings,
} from '../../api/types';
import { alike, brief } from '../../plots/number';

const FEW = 3;

/** The measures a table of runs begins with: the one the experiment is about, and what explains it. */
export function chosenFew(measures: readonly MeasureOf[], first: string | undefined): string[] {
  const names = measures.map(({ name }) => name);
  const wanted = [first, ...names].filter((name) => name !== undefined && names.includes(name));
  return [...new Set(wanted as string[])].slice(0, FEW);
}

export const STATE_WORDS: Readonly<Record<RunState, string>> = {
  current: 'counted',
  whole: 'whole',
  partial: 'partial',
  retracted: 'retracted',
};
export const WARNING_WORDS: Readonly<Record<RunWarnings, string>> = { some: 'with', none: 'without' };
export const ORDER_WORDS = { stored: 'as stored', recorded: 'time', replicate: 'replicate' } as const;

/** `clock stepped, window not marked`: what a run was warned of, each once. */
export const warningsOf = ({ warning_codes }: Pick<Run, 'warning_codes'>): string =>
  [...new Set(warning_codes)].map((code) => code.replaceAll('_', ' ')).join(', ');

export function stateOf(run: Pick<Run, 'status' | 'partial'>): string {
  if (run.status === 'retracted') return 'retracted';
  return run.partial ? 'partial' : 'whole';
}

/** Whether a log stands behind the run: uploaded, or come with a data set. The other runs are rows of a table. */
export function isLog(run: Pick<Run, 'content' | 'sha256'>): boolean {
  return run.content === 'run_log' || (run.content === 'dataset' && run.sha256 !== null);
}

export function originOf(run: Pick<Run, 'content' | 'filename' | 'row' | 'sha256'>): string {
  const file = run.filename ?? 'a file';
  const set = run.content === 'dataset' ? ' of the data set' : '';
  if (isLog(run)) return `run log ${file}${set}`;
  if (run.content === 'foreign') return `files of other tools, ${file}`;
  return `row ${run.row ?? '?'}${set || ` of ${file}`}`;
}

/** How many times slower than in the system that a log stands for its times pass; null where they are the same. */
export function dilationOf(header: Readonly<Record<string, unknown>> | null): number | null {
  const given = header?.time_dilation;
  return typeof given === 'number' && given !== 1 ? given : null;
}

/** `2026-11-20 19:44:17 UTC`. */
export function moment(iso: string | null): string {
  if (iso === null) return 'not known';
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const SHOWN_DIGITS = 5;

export function number(value: number): string {
  return brief(value, SHOWN_DIGITS);
}

/** The same of a column: as many decimals all the way down. */
export const numbersOf = (values: readonly (number | undefined)[]) => alike(values, SHOWN_DIGITS);

/** A value of a header as one line: words of a list in a row, members of an object by name, nothing as a dash. */
export function plain(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(plain).join(value.some((each) => typeof each === 'object') ? '; ' : ' ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name.replaceAll('_', ' ')} ${plain(member)}`)
    .join(', ');
}

function flat(value: Readonly<Record<string, unknown>> | null): Map<string, unknown> {
  const members = Object.entries(value ?? {});
  return new Map(
    members.flatMap(([name, member]) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? [...flat(member as Record<string, unknown>)]
        : [[name, member] as const],
    ),
  );
}

/** `mtu_bytes 1500 → 3000`: what a correction changed, by name. */
export function changesOf({
  before,
  after,
}: Pick<RunEvent, 'before' | 'after'>): { name: string; from: string; to: string }[] {
  const was = flat(before);
  const is = flat(after);
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((name) => ({ name, from: plain(was.get(name)), to: plain(is.get(name)) }))
    .filter(({ from, to }) => from !== to);
}

// What a log of an interface can give; where one of them is missing, the page says so instead of leaving the row out.
const OF_A_LOG = [
  'throughput_mbps',
  'rx_interrupts',
  'rx_interrupt_rate_hz',
  'packets_per_interrupt',
  'system_cpu_percent',
];

/** Measures of a run in the order of the glossary, with those a log could have had and has not. */
export function measuresOf(
  run: Pick<Run, 'content' | 'sha256' | 'measures'>,
  quantities: readonly Quantity[] | undefined,
): string[] {
  const order = quantities?.map(({ name }) => name) ?? [];
  const names = new Set([...Object.keys(run.measures), ...(isLog(run) ? OF_A_LOG : [])]);
  return [...names].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

export interface Setting {
  name: string;
  requested: FactorValue | null;
  counts: FactorValue | null;
}

/** Every factor that was asked for or is in force. What counts is what the host read back, where it did. */
export function settingsOf(
  factors: Factors,
  requested: Readonly<Record<string, FactorValue | null>> | null,
): Setting[] {
  const names = [...new Set([...Object.keys(factors), ...Object.keys(requested ?? {})])];
  return names.map((name) => ({ name, requested: requested?.[name] ?? null, counts: factors[name] ?? null }));
}

export interface Source {
  name: string;
  atomic: boolean;
  description: string;
}

/** The sources a log names in its header. */
export function sourcesOf(header: Readonly<Record<string, unknown>> | null): Source[] {
  const listed = header?.sources;
  if (!Array.isArray(listed)) return [];
  return listed.map((source) => ({
    name: plain(source?.name),
    atomic: source?.atomic === true,
    description: typeof source?.description === 'string' ? source.description : '',
  }));
}

export interface Edited {
  factors: Readonly<Record<string, string>>;
  replicate: string;
  reason: string;
}

function level(text: string, isText: boolean): number | string | null {
  const value = text.trim();
  if (value === '') return null;
  const figure = Number(value);
  return isText || Number.isNaN(figure) ? value : figure;
}

/** What a correction changes and nothing else; null where nothing would change. An emptied field takes the factor away. */
export function correctionOf(
  run: Pick<Run, 'factors' | 'replicate'>,
  edited: Edited,
  quantities: readonly Quantity[] | undefined,
): Correction | null {
  const isText = (name: string) => quantities?.find((quantity) => quantity.name === name)?.text ?? false;
  const factors: Record<string, number | string | null> = {};
  for (const [name, text] of Object.entries(edited.factors)) {
    const value = level(text, isText(name));
    if (value !== (run.factors[name] ?? null)) factors[name] = value;
  }
  const replicate = edited.replicate.trim() === '' ? null : Number(edited.replicate);
  const moved = replicate !== run.replicate && replicate !== null;
  if (Object.keys(factors).length === 0 && !moved) return null;
  return { factors, ...(moved ? { replicate } : {}), reason: edited.reason.trim() };
}
