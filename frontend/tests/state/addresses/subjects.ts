// SPDX-License-Identifier: Apache-2.0
// What an address can be of, by the name that the frozen addresses use. The experiments are as they were when the first of them was frozen.
import { catalogue } from '../../../src/engine/catalogue';
import type { Terms } from '../../../src/state/explorer';
import { type Subject, slicesOf, termsOf } from '../../../src/state/view';
import { bench } from '../../designs';
import { dillon, nfs, points } from '../../published';

export function subjectOf(name: string): Subject {
  const experiments: Record<string, () => Subject> = {
    'geist-2005-nfs': nfs,
    'geist-2005-points': points,
    'dillon-2004': dillon,
    bench,
  };
  const model = catalogue.models.find((m) => `models/${m.id}` === name);
  return model ? { of: 'model', model } : experiments[name]();
}

export const termsFor = (subject: Subject): Terms => termsOf(subject, slicesOf(subject, catalogue));
