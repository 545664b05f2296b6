// SPDX-License-Identifier: Apache-2.0
// Which fit a view starts from, known before the view is drawn.
import { prefetchFit } from '../../api/queries';
import type { Cells, Experiment, FactorValue, FitRequest } from '../../api/types';
import { catalogue } from '../../engine/catalogue';
import { fetchEquations } from '../../engine/equations';
import { bindingOf, type DataSlices, slicesOf } from '../../state/dataSlice';
import { type ExplorerState, METHODS, type ViewSchema } from '../../state/explorer';
import { fromQuery } from '../../state/link';
import { fittedAs, isCost, responseOf } from '../../state/models';
import type { Subject } from '../../state/subject';
import { currentQuery, leftOutOf } from '../../state/url';
import { schemaOf } from '../../state/viewSchema';

/** What the server is asked to fit for a state; null where nothing is fitted. */
export function fitRequestOf(
  subject: Subject,
  state: ExplorerState,
  binding: ReturnType<typeof bindingOf>,
): FitRequest | null {
  if (subject.of !== 'experiment' || subject.opened || !binding || !isCost(state.measure)) return null;
  const model = fittedAs(binding.model);
  const { measure, method, where } = state;
  const base = state.base ? { base: true } : {};
  const without = subject.without?.length ? { without: [...subject.without] } : {};
  return model === null
    ? null
    : { model, method, response: responseOf(measure), where: { ...where }, ...base, ...without };
}

/** Each takes the server a moment. */
const MOST_FITS = 12;

type Where = Readonly<Record<string, FactorValue>>;

const everyChoice = (schema: ViewSchema, axes: ExplorerState['axes']): readonly Where[] =>
  schema
    .choices(axes)
    .reduce<Where[]>(
      (all, { name, levels }) => all.flatMap((chosen) => levels.map((level) => ({ ...chosen, [name]: level }))),
      [{}],
    );

/** Asked for at what is looked at, and at every choice of levels where that is few in all. */
export function nearby<T>(
  subject: Subject,
  slices: DataSlices,
  state: ExplorerState,
  most: number,
  at: (where: Where) => readonly T[],
): readonly T[] {
  const here = at(state.where);
  const choices = everyChoice(schemaOf(subject, slices), state.axes);
  return here.length * choices.length > most ? here : choices.flatMap(at);
}

/** The fits that a reader of this view may come to: by any method, of any measure, and at any choice of levels where those are few. */
export function fitRequestsNear(subject: Subject, slices: DataSlices, state: ExplorerState): readonly FitRequest[] {
  const at = (where: Where): FitRequest[] => {
    const slice = slices({ axes: state.axes, where });
    const all = slice.measures.flatMap(({ name }) =>
      slice
        .bindings(name)
        .flatMap((binding) =>
          METHODS.map((method) => fitRequestOf(subject, { ...state, where, measure: name, method }, binding)),
        ),
    );
    const byText = new Map(all.flatMap((each) => (each ? [[JSON.stringify(each), each] as const] : [])));
    return [...byText.values()];
  };
  return nearby(subject, slices, state, MOST_FITS, at);
}

/** What follows from a subject: its slices, and what an address may say of it. */
interface Derived {
  readonly slices: DataSlices;
  readonly schema: ViewSchema;
}

let last: { readonly subject: Subject; readonly derived: Derived } | null = null;

/** Whether two subjects have the same slices: those of the page's start are made before the view, and are the view's. */
const sameData = (a: Subject, b: Subject): boolean =>
  a.of === 'experiment' &&
  b.of === 'experiment' &&
  a.experiment === b.experiment &&
  a.cells === b.cells &&
  (a.planned?.length ?? 0) + (b.planned?.length ?? 0) === 0;

export function derivedFrom(subject: Subject): Derived {
  if (last && sameData(last.subject, subject)) return last.derived;
  const slices = slicesOf(subject, catalogue);
  last = { subject, derived: { slices, schema: schemaOf(subject, slices) } };
  return last.derived;
}

/** Asks for the equations and the fit that the address wants; resolves when the fit is here, or did not come. */
export async function prefetchFits(experiment: Experiment, { cells, data_version }: Cells): Promise<void> {
  const subject: Subject = { of: 'experiment', experiment, cells, without: leftOutOf(currentQuery()) };
  const { slices, schema } = derivedFrom(subject);
  const { state } = fromQuery(currentQuery(), schema);
  const binding = bindingOf(slices(state), state);
  if (binding) fetchEquations(binding.model.id).catch(() => undefined);
  const request = fitRequestOf(subject, state, binding);
  if (request) await prefetchFit(experiment.slug, request, data_version);
}
