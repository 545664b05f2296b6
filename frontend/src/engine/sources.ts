// SPDX-License-Identifier: Apache-2.0
// The Python of the catalogue's models, fetched when the workshop starts from one.
import { sources } from 'virtual:sources';

export interface ModelSource {
  readonly text: string;
  /** Where it stands in the project; null for the template. */
  readonly file: string | null;
  readonly line: number | null;
  /** What it traces to, traced when the page was built. */
  readonly document: unknown;
}

export const TEMPLATE = 'template';

/** Null where there is no such model. */
export async function sourceOf(model: string): Promise<ModelSource | null> {
  if (!Object.hasOwn(sources, model)) return null;
  const { text, file, line, document } = (await sources[model]()).default;
  return { text, file: file ?? null, line: line ?? null, document };
}
