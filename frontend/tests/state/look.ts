// SPDX-License-Identifier: Apache-2.0
// A subject as an address opens it.
import { expect } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import type { ExplorerState, Terms } from '../../src/state/explorer';
import { fromQuery } from '../../src/state/link';
import { slicesOf } from '../../src/state/slice';
import type { Subject } from '../../src/state/subject';
import { termsOf } from '../../src/state/terms';
import { type View, viewOf } from '../../src/state/view';
import { paperFit } from '../published';

export interface Look {
  readonly view: View;
  readonly state: ExplorerState;
  readonly terms: Terms;
}

/** With the paper's fit, or with none. Nothing of the address may be turned down. */
export function look(subject: Subject, query: string, fit = true): Look {
  const slices = slicesOf(subject, catalogue);
  const terms = termsOf(subject, slices);
  const { state, rejected } = fromQuery(query, terms);
  expect(rejected).toEqual([]);
  return { view: viewOf(subject, slices, state, fit ? paperFit() : null, false), state, terms };
}
