// SPDX-License-Identifier: Apache-2.0
// Runs Python that nobody vouches for: in a frame of an opaque origin, without network, in a worker that is ended when it takes too long.
// What comes back is text, to be read like a stranger's file.
import { fileAddress } from '../../api/home';
import worker from './sandbox.worker.ts?worker&url';

/** Longer than any model takes to trace. */
export const RUN_LIMIT_MS = 5000;
const START_LIMIT_MS = 60_000;
export const SANDBOX = '/sandbox.html';

export type Status =
  | { readonly state: 'closed' | 'starting' | 'ready' | 'running' }
  | { readonly state: 'absent' | 'failed'; readonly message: string };

export type Outcome =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string };

export interface Sandbox {
  subscribe(listener: () => void): () => void;
  status(): Status;
  /** One at a time: a second run ends the first, without waiting for it. */
  run(source: string): Promise<Outcome>;
  /** Loads it, or loads it again after a failure. */
  open(): void;
  close(): void;
}

type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly text: string | null };

async function bytes(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} was not sent: ${response.status}`);
  return response.arrayBuffer();
}

async function files(): Promise<Record<string, ArrayBuffer>> {
  const names = {
    worker,
    asm: fileAddress(`${__PYODIDE_BASE__}pyodide.asm.mjs`),
    wasm: fileAddress(`${__PYODIDE_BASE__}pyodide.asm.wasm`),
    stdlib: fileAddress(`${__PYODIDE_BASE__}stdlib.zip`),
    models: fileAddress(__MODELS_ZIP__),
  };
  const loaded = await Promise.all(Object.values(names).map(bytes));
  return Object.fromEntries(Object.keys(names).map((name, i) => [name, loaded[i]]));
}

function frameIn(host: HTMLElement): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.title = 'Sandbox for Python';
  frame.hidden = true;
  frame.src = fileAddress(SANDBOX);
  host.append(frame);
  return frame;
}

function replyOf(data: unknown): Reply | null {
  if (typeof data !== 'object' || data === null) return null;
  const { kind, id, text, message } = data as Record<string, unknown>;
  if (kind === 'ready') return { kind };
  if (kind === 'failed') return { kind, message: String(message).slice(0, 300) };
  if (kind === 'answer' && typeof id === 'number') return { kind, id, text: typeof text === 'string' ? text : null };
  return null;
}

export function createSandbox(host: () => HTMLElement = () => document.body): Sandbox {
  let status: Status = { state: 'closed' };
  let frame: HTMLIFrameElement | null = null;
  let port: MessagePort | null = null;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let sequence = 0;
  let asked: { id: number; source: string; done: (outcome: Outcome) => void } | null = null;
  const listeners = new Set<() => void>();

  const become = (next: Status): void => {
    status = next;
    for (const tell of listeners) tell();
  };
  const wait = (milliseconds: number, then: () => void): void => {
    clearTimeout(patience);
    patience = setTimeout(then, milliseconds);
  };
  const settle = (outcome: Outcome): void => {
    const { done } = asked ?? {};
    asked = null;
    done?.(outcome);
  };
  const remove = (): void => {
    clearTimeout(patience);
    port?.close();
    frame?.remove();
    port = null;
    frame = null;
  };
  const fail = (message: string): void => {
    remove();
    become({ state: 'failed', message });
    settle({ kind: 'failed', message });
  };
  const awaitReady = (): void => wait(START_LIMIT_MS, () => fail('it takes longer than a minute'));
  const begin = (): void => {
    if (!asked || !port) return;
    become({ state: 'running' });
    port.postMessage({ kind: 'run', id: asked.id, source: asked.source });
    wait(RUN_LIMIT_MS, () => {
      restart();
      settle({ kind: 'stopped' });
    });
  };
  const restart = (): void => {
    become({ state: 'starting' });
    port?.postMessage({ kind: 'stop' });
    awaitReady();
  };
  const receive = (reply: Reply | null): void => {
    if (reply?.kind === 'failed') fail(reply.message);
    else if (reply?.kind === 'ready' && status.state === 'starting') {
      clearTimeout(patience);
      become({ state: 'ready' });
      begin();
    } else if (reply?.kind === 'answer' && reply.id === asked?.id && status.state === 'running') {
      // the frame has started a fresh Python by itself
      become({ state: 'starting' });
      settle(
        reply.text === null
          ? { kind: 'failed', message: 'its answer is longer than a million characters' }
          : { kind: 'answer', text: reply.text },
      );
      awaitReady();
    }
  };
  const open = (): void => {
    if (frame) return;
    if (typeof WebAssembly === 'undefined') {
      become({ state: 'absent', message: 'this browser has no WebAssembly, or it is switched off' });
      return;
    }
    become({ state: 'starting' });
    const own = frameIn(host());
    frame = own;
    const shown = new Promise((resolve) => own.addEventListener('load', resolve, { once: true }));
    awaitReady();
    Promise.all([files(), shown])
      .then(([loaded]) => {
        if (frame !== own) return;
        const channel = new MessageChannel();
        port = channel.port1;
        port.onmessage = ({ data }) => receive(replyOf(data));
        // an opaque origin has no name to address it by; what is sent is no secret
        own.contentWindow?.postMessage({ files: loaded }, '*', [channel.port2, ...Object.values(loaded)]);
      })
      .catch((error: unknown) => {
        if (frame === own) fail(error instanceof Error ? error.message : String(error));
      });
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    status: () => status,
    run(source) {
      if (status.state === 'failed' || status.state === 'closed') open();
      if (status.state === 'absent')
        return Promise.resolve({ kind: 'failed', message: (status as { message: string }).message });
      return new Promise((done) => {
        if (asked) {
          const running = status.state === 'running';
          settle({ kind: 'stopped' });
          if (running) restart();
        }
        asked = { id: ++sequence, source, done };
        if (status.state === 'ready') begin();
      });
    },
    open,
    close() {
      remove();
      settle({ kind: 'stopped' });
      become({ state: 'closed' });
    },
  };
}
