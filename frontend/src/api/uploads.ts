// SPDX-License-Identifier: Apache-2.0
import { body, client, withQuery } from './client';
import { errorFrom, Unreachable } from './errors';
import { askForToken, authorization, currentToken, wantsToken } from './token';
import type { Kind, Look, TableMapping, UploadReceipt } from './types';

/** Where a CSV goes; a run log names its experiment itself. */
export interface Destination {
  experiment: string;
  title?: string;
  kind?: Kind;
  citation?: string;
  /** Kind and citation stand, whatever the table says of its own. */
  override_source?: 'true';
  /** What the columns of a table mean, as JSON. */
  mapping?: string;
}

export interface Upload {
  content: Blob;
  filename: string;
  destination: Destination | null;
  /** Bytes on their way so far. */
  onProgress: (sent: number) => void;
}

interface Answer {
  status: number;
  body: string;
}

// XMLHttpRequest, because fetch still tells nothing about the progress of a request's body.
function attempt(upload: Upload): Promise<Answer> {
  const { content, filename, destination, onProgress } = upload;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', withQuery('/api/uploads', { filename, ...destination }));
    for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onload = () => resolve({ status: request.status, body: request.responseText });
    request.onerror = () => reject(new Unreachable());
    request.onabort = () => reject(new Unreachable());
    request.send(content);
  });
}

/** Sends one file. Resolves only when the server says that bytes and rows are on disk. */
export async function sendUpload(upload: Upload): Promise<UploadReceipt> {
  for (;;) {
    const used = currentToken();
    const { status, body } = await attempt(upload);
    if (status === 200 || status === 201) return JSON.parse(body) as UploadReceipt;
    if (wantsToken(status, body) && (currentToken() !== used || (await askForToken()))) continue;
    throw errorFrom(status, body);
  }
}

/** What a table is and what its columns probably mean, or as `mapping` says. Nothing of it is stored. */
export function lookAt(
  content: Blob,
  filename: string,
  mapping: TableMapping | null,
  signal?: AbortSignal,
): Promise<Look> {
  const query = { filename, ...(mapping && { mapping: JSON.stringify(mapping) }) };
  return body<Look>(
    client.POST('/api/uploads/look', {
      params: { query },
      // the description of the API has bytes as text
      body: content as unknown as string,
      bodySerializer: (bytes) => bytes,
      headers: { 'Content-Type': 'application/octet-stream' },
      ...(signal && { signal }),
    }),
  );
}

/** Whether the server answers at all. */
export async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch('/api/health', { headers: authorization(), cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
