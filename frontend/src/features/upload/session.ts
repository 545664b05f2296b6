// SPDX-License-Identifier: Apache-2.0
// The uploads of this visit. They go on while the reader looks at another page.
import { useSyncExternalStore } from 'react';
import { sendUpload, serverAnswers } from '../../api/uploads';
import { isCsv } from './files';
import { UploadQueue, type Uploads } from './queue';

export const uploads = new UploadQueue({
  send: sendUpload,
  answers: serverAnswers,
  after: (ms, then) => setTimeout(then, ms),
});

// Progress comes faster than anyone can read; the page is drawn at most this often.
const DRAW_EVERY_MS = 50;
let shown = uploads.current();
let due = false;
const listeners = new Set<() => void>();

uploads.subscribe(() => {
  if (due) return;
  due = true;
  setTimeout(() => {
    due = false;
    shown = uploads.current();
    for (const tell of listeners) tell();
  }, DRAW_EVERY_MS);
});

addEventListener('beforeunload', (event) => {
  const open = uploads.current().items.some(({ phase }) => phase === 'sending' || phase === 'waiting');
  if (open) event.preventDefault();
});

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function useUploads(): Uploads {
  return useSyncExternalStore(subscribe, () => shown);
}

/** Files as they come from a drop or a chooser. */
export async function addFiles(files: Iterable<File>): Promise<void> {
  uploads.add(await Promise.all([...files].map(async (file) => ({ file, csv: await isCsv(file) }))));
}
