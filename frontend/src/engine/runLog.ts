// SPDX-License-Identifier: Apache-2.0
// Opens a run log in the browser: the codec's own Python reads it in a worker, and nothing is sent anywhere.
import type { Contents } from '../api/types';

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

export interface Opened {
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
  };
  /** Null where not even the header could be read. */
  readonly contents: Contents | null;
}

export interface OpenRequest {
  readonly id: number;
  readonly content: ArrayBuffer;
  readonly name: string;
  readonly points: number;
}

export type OpenReply = { readonly id: number } & ({ readonly opened: Opened } | { readonly failed: string });

/** A worker holds the file, its copy in Python and the columns that are drawn. */
export const MOST_BYTES = 256 * 2 ** 20;

let worker: Worker | null = null;
let sequence = 0;

function started(): Worker {
  worker ??= new Worker(new URL('./runLog.worker.ts', import.meta.url), { type: 'module', name: 'run-log' });
  return worker;
}

/** A codec that failed is started anew with the next file; one that works is kept, for it takes a second to start. */
function giveUp(): void {
  worker?.terminate();
  worker = null;
}

export function openRunLog(content: ArrayBuffer, name: string, points: number): Promise<Opened> {
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
    to.postMessage({ id, content, name, points } satisfies OpenRequest, [content]);
  });
}
