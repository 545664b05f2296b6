// SPDX-License-Identifier: Apache-2.0
// What the page asks by POST in an experiment's own view, beside what `coalescope publish` keeps answers to: one file says it to both.
// backend/tests/publishing/test_questions.py writes it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Cell, Experiment, FactorValue } from '../../src/api/types';
import { catalogue } from '../../src/engine/catalogue';
import { fitRequestsNear } from '../../src/features/explorer/prefetch';
import { questionsNear } from '../../src/features/recommend/question';
import { slicesOf } from '../../src/state/dataSlice';
import type { ExplorerState } from '../../src/state/explorer';
import type { ExperimentSubject } from '../../src/state/subject';
import { schemaOf } from '../../src/state/viewSchema';

interface Kept {
  readonly experiment: Experiment;
  readonly cells: readonly Cell[];
  readonly fits: readonly object[];
  readonly recommendations: readonly { readonly aims: readonly object[] }[];
}

const file = new URL('../../../backend/tests/publishing/questions.json', import.meta.url);
const ALL = JSON.parse(readFileSync(file, 'utf8')) as readonly Kept[];

/** The same text for what says the same, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, each]) => `${name}:${canonical(each)}`).join()}}`;
}
const texts = (all: readonly unknown[]): readonly string[] => [...new Set(all.map(canonical))].sort();

function viewed({ experiment, cells }: Kept) {
  const subject: ExperimentSubject = { of: 'experiment', experiment, cells };
  const slices = slicesOf(subject, catalogue);
  const { defaults, choices } = schemaOf(subject, slices);
  const wheres = choices(defaults.axes).reduce<Record<string, FactorValue>[]>(
    (all, { name, levels }) => all.flatMap((own) => levels.map((level) => ({ ...own, [name]: level }))),
    [{}],
  );
  const states = wheres.flatMap((where): ExplorerState[] => {
    const { x, y } = slices({ axes: defaults.axes, where }).layout;
    const places = (x?.levels ?? [null]).flatMap((at) => (y?.levels ?? [null]).map((up) => ({ x: at, y: up })));
    return places.map((place) => ({ ...defaults, ...place, where }));
  });
  return { subject, slices, states };
}

describe.each(ALL.map((kept) => [kept.experiment.slug, kept] as const))('%s', (_, kept) => {
  const { subject, slices, states } = viewed(kept);

  it('has the answer to every fit that its own view asks for, and to no other', () => {
    const asked = states.flatMap((state) => fitRequestsNear(subject, slices, state));
    expect(texts(asked)).toEqual(texts(kept.fits));
  });

  it('has the answer to every recommendation that its own view asks for, and to no other', () => {
    const ask = (state: ExplorerState) => questionsNear(subject, slices(state), state).map(({ request }) => request);
    const own = states.flatMap(ask);
    // a goal is about the measure on the screen where it means one of several; trades stay with the view's own
    const goals = states
      .flatMap((state) => slices(state).measures.flatMap(({ name }) => ask({ ...state, measure: name })))
      .filter(({ aims }) => aims.length === 1);
    expect(texts([...own, ...goals])).toEqual(texts(kept.recommendations));
  });
});
