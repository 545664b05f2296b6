// SPDX-License-Identifier: Apache-2.0
// What a model's page tells besides what draws it; fetched when it is opened.
import { about } from 'virtual:models';
import type { About } from '../state/models';
import { type ModelSource, sourceOf } from './sources';

export interface Told extends About {
  readonly source: ModelSource;
}

/** Null where there is no such model. */
export async function aboutModel(id: string): Promise<Told | null> {
  if (!Object.hasOwn(about, id)) return null;
  const [told, source] = await Promise.all([about[id](), sourceOf(id)]);
  return source && { ...told.default, source };
}
