// SPDX-License-Identifier: Apache-2.0
// Which fit a view starts from, known before the view is drawn.
import { prefetchFit } from '../../api/queries';
import type { Cells, Experiment, FitRequest } from '../../api/types';
import { catalogue } from '../../engine/catalogue';
import type { ExplorerState } from '../../state/explorer';
import { fromQuery } from '../../state/link';
import { fittedAs, isCost, responseOf } from '../../state/models';
import { currentQuery, leftOutOf } from '../../state/url';
import { bindingOf, type Subject, slicesOf, termsOf } from '../../state/view';

/** What the server is asked to fit for a state; null where nothing is fitted. */
export function fitRequestOf(
  subject: Subject,
  state: ExplorerState,
  binding: ReturnType<typeof bindingOf>,
): FitRequest | null {
  if (subject.of !== 'experiment' || subject.opened || !binding || !isCost(state.measure)) return null;
  const model = fittedAs(binding.model);
  const { measure, method, where } = state;
  const without = subject.without?.length ? { without: [...subject.without] } : {};
  return model === null ? null : { model, method, response: responseOf(measure), where: { ...where }, ...without };
}

/** Asks for the fit that the address wants, so that it is on its way while the page renders. */
export function askForFit(experiment: Experiment, { cells, data_version }: Cells): void {
  const subject: Subject = { of: 'experiment', experiment, cells, without: leftOutOf(currentQuery()) };
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(currentQuery(), termsOf(subject, slices));
  const request = fitRequestOf(subject, state, bindingOf(slices(state), state));
  if (request) prefetchFit(experiment.slug, request, data_version);
}
