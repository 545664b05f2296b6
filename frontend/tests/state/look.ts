// SPDX-License-Identifier: Apache-2.0
// A subject as an address opens it.
import { expect } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { slicesOf } from '../../src/state/dataSlice';
import type { ExplorerState, ViewSchema } from '../../src/state/explorer';
import { fromQuery } from '../../src/state/link';
import type { Subject } from '../../src/state/subject';
import { type View, viewOf } from '../../src/state/view';
import { schemaOf } from '../../src/state/viewSchema';
import { paperFit } from '../published';

export interface Look {
  readonly view: View;
  readonly state: ExplorerState;
  readonly schema: ViewSchema;
}

/** With the paper's fit, or with none. Nothing of the address may be turned down. */
export function look(subject: Subject, query: string, fit = true): Look {
  const slices = slicesOf(subject, catalogue);
  const schema = schemaOf(subject, slices);
  const { state, rejected } = fromQuery(query, schema);
  expect(rejected).toEqual([]);
  return { view: viewOf(subject, slices, state, fit ? paperFit() : null, false), state, schema };
}
