// SPDX-License-Identifier: Apache-2.0
// Opens a run log or a table in the browser, and answers for a copy what follows from kept answers: the server's own Python runs in a worker,
// and nothing is sent anywhere.
import type { Cell, Cells, Contents, ErrorBody, Experiment } from '../api/types';

export interface LogProblem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly offset: number | null;
  readonly offset_hex: string | null;
  readonly block: number | null;
  readonly advice: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface OpenedLog {
  readonly report: {
    readonly file: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly ok: boolean;
    readonly readable: boolean;
    readonly complete: boolean;
    readonly read_bytes: number;
    readonly version: string | null;
    readonly header: Readonly<Record<string, unknown>> | null;
    readonly problems: readonly LogProblem[];
    /** Of the run that a whole file holds. */
    readonly doubts: readonly LogProblem[];
  };
  /** Null where not even the header could be read. */
  readonly contents: Contents | null;
}

/** What the store would say of the table, or why it would refuse it. */
export type OpenedTable =
  | {
      readonly experiment: Experiment;
      readonly cells: readonly Cell[];
      readonly independence: Cells['independence'];
    }
  | { readonly error: ErrorBody };

export interface OpenRequest {
  readonly id: number;
  readonly as: 'log' | 'table' | 'question';
  readonly content: ArrayBuffer;
  readonly name: string;
  /** Of a log: how many points its series have. */
  readonly points: number;
}

export type OpenReply = { readonly id: number } & ({ readonly opened: unknown } | { readonly failed: string });

/** A worker holds the file, its copy in Python and the columns that are drawn. */
export const MOST_BYTES = 256 * 2 ** 20;

let worker: Worker | null = null;
let sequence = 0;

function started(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL('./files.worker.ts', import.meta.url), { type: 'module', name: 'files' });
  // one whose program did not come answers nothing: the next file starts another
  worker.addEventListener('error', giveUp);
  return worker;
}

/** Starts the program before there is a file: it takes seconds, in which somebody chooses one. */
export function getReady(): void {
  started();
}

/** A worker that failed is started again with the next file; one that works is kept, because it takes a second to start. */
function giveUp(): void {
  worker?.terminate();
  worker = null;
}

function open(request: Omit<OpenRequest, 'id'>): Promise<unknown> {
  const to = started();
  sequence += 1;
  const id = sequence;
  return new Promise((resolve, reject) => {
    const fail = (message: string) => {
      giveUp();
      reject(new Error(message));
    };
    const receive = ({ data }: MessageEvent<OpenReply>) => {
      if (data.id !== id) return;
      to.removeEventListener('message', receive);
      if ('opened' in data) resolve(data.opened);
      else fail(data.failed);
    };
    to.addEventListener('message', receive);
    to.onerror = (event) => fail(event.message || 'the worker did not start');
    to.postMessage({ ...request, id } satisfies OpenRequest, [request.content]);
  });
}

export async function openRunLog(content: ArrayBuffer, name: string, points: number): Promise<OpenedLog> {
  return (await open({ as: 'log', content, name, points })) as OpenedLog;
}

export async function openTable(content: ArrayBuffer, name: string): Promise<OpenedTable> {
  return (await open({ as: 'table', content, name, points: 0 })) as OpenedTable;
}

/** What a server would answer to GET /api/<path>, worked out from answers that were kept. */
export async function workOut(path: string, query: URLSearchParams, kept: unknown): Promise<object> {
  const asked = new TextEncoder().encode(JSON.stringify({ query: [...query], kept }));
  return (await open({ as: 'question', content: asked.buffer, name: path, points: 0 })) as object;
}
