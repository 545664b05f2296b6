// SPDX-License-Identifier: Apache-2.0
// What an address can be of, by the name that the frozen addresses use. The experiments are as they were when the first of them was frozen.
import { catalogue } from '../../../src/engine/catalogue';
import { slicesOf } from '../../../src/state/dataSlice';
import type { ViewSchema } from '../../../src/state/explorer';
import type { Subject } from '../../../src/state/subject';
import { schemaOf } from '../../../src/state/viewSchema';
import { bench } from '../../designs';
import { dillon, nfs, points } from '../../published';

/** Its frequencies of 30 kHz were delays to six figures. */
function dillonAsItWas(): Subject {
  const subject = dillon();
  if (subject.of !== 'experiment') return subject;
  const was = <T>(level: T) => (level === 33.3 ? 33.3333 : level);
  const { experiment, cells } = subject;
  const factors = experiment.factors.map((f) => ({ ...f, levels: f.levels.map(was) }));
  const asTheyWere = cells.map((cell) => ({
    ...cell,
    factors: Object.fromEntries(Object.entries(cell.factors).map(([name, level]) => [name, was(level)])),
  }));
  return { ...subject, experiment: { ...experiment, factors }, cells: asTheyWere };
}

export function subjectOf(name: string): Subject {
  const experiments: Record<string, () => Subject> = {
    'geist-2005-nfs': nfs,
    'geist-2005-points': points,
    'dillon-2004': dillonAsItWas,
    bench,
  };
  const model = catalogue.models.find((m) => `models/${m.id}` === name);
  return model ? { of: 'model', model } : experiments[name]();
}

export const termsFor = (subject: Subject): ViewSchema => schemaOf(subject, slicesOf(subject, catalogue));
