// SPDX-License-Identifier: Apache-2.0
// A stream of server-sent events through fetch, which unlike EventSource can carry the token.
import { file } from './client';

const AGAIN_MS = [1000, 2000, 5000, 10_000];

/** The data of each whole event in the text so far, and the text that is not whole yet. */
export function eventsIn(text: string): { data: string[]; rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const data = blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => line.startsWith('data:'));
    return lines.length ? [lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')] : [];
  });
  return { data, rest };
}

async function readAll(response: Response, onData: (data: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) return;
    const { data, rest } = eventsIn(text + next.value);
    text = rest;
    data.forEach(onData);
  }
}

/** Follows a stream until `signal` aborts; when it breaks it is opened again, later each time it fails. */
export async function follow<T>(path: string, onEvent: (event: T) => void, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await readAll(await file(path, signal), (data) => {
        failures = 0;
        onEvent(JSON.parse(data) as T);
      });
    } catch {
      // Gone for now: asked again below.
    }
    const wait = AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)];
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
