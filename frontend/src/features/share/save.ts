// SPDX-License-Identifier: Apache-2.0
import { file } from '../../api/client';

/** Hands a file to the reader under `name`. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // By the next turn of its loop the browser has taken the content.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Fetches and saves what the server keeps under `path`. Goes through the client, so that a token is sent along. */
export async function saveFrom(path: string, name: string): Promise<void> {
  const response = await file(path);
  save(await response.blob(), nameIn(response.headers.get('Content-Disposition')) ?? name);
}

/** The file name a server suggests: `attachment; filename="x.csv"`. */
export function nameIn(disposition: string | null): string | null {
  const name = /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1]?.trim();
  return name ? name.replace(/[/\\]/g, '_') : null;
}

/** A title as a file name: lower case, words joined by hyphens. */
export function fileName(title: string, extension: string): string {
  const stem = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${stem || 'coalescope'}.${extension}`;
}
