// SPDX-License-Identifier: Apache-2.0
// What the explorer can be saved as; what writes it comes when it is asked for.
import type { RefObject } from 'react';
import { currentAddress } from '../../state/address';
import type { DataSlices } from '../../state/dataSlice';
import type { ExplorerState } from '../../state/explorer';
import { thetaOf } from '../../state/fit';
import type { Store } from '../../state/store';
import type { Subject } from '../../state/subject';
import type { View } from '../../state/view';
import { useFigureExport } from '../share/figureExport';
import type { ChartRenderer } from './chartRenderer';
import { fitRequestsNear, nearby } from './prefetch';

/** Each takes the server a moment. */
const MOST_QUESTIONS = 40;

async function offlinePage(subject: Subject, slices: DataSlices, state: ExplorerState): Promise<Blob> {
  const { offlinePage } = await import('../share/offline');
  if (subject.of === 'model') return offlinePage({ title: subject.model.title, experiment: null, wanted: null });
  const { experiment, without = [] } = subject;
  const { questionsNear } = await import('../recommend/question');
  const fits = fitRequestsNear(subject, slices, state);
  const questions = nearby(subject, slices, state, MOST_QUESTIONS, (where) => {
    const there = { ...state, where };
    return questionsNear(subject, slices(there), there);
  });
  const wanted = { slug: experiment.slug, without, fits, questions, against: state.against };
  return offlinePage({ title: experiment.title, experiment, wanted });
}

export function useExports(
  subject: Subject,
  view: View,
  store: Store<ExplorerState>,
  picture: RefObject<ChartRenderer | null>,
  /** Of a view that a file can hold. */
  slices?: DataSlices,
): void {
  const slug = subject.of === 'experiment' ? subject.experiment.slug : subject.model.id;
  const make = async (): Promise<string> => {
    const scene = picture.current?.scene();
    if (!scene) throw new Error('The figure is not drawn yet.');
    const { svgText } = await import('./figureFile');
    return svgText(subject, view, store.get(), scene);
  };
  const without = (subject.of === 'experiment' && subject.without) || [];
  // those that stand side by side, where they are not all
  const facet = store.get().axes.facetLevels && view.layout.facet;
  const chosen = facet ? facet.levels.map((level) => `&${facet.name}=${encodeURIComponent(level)}`).join('') : '';
  const data = (format: string): string =>
    `/api/experiments/${encodeURIComponent(slug)}/export?format=${format}&what=cells${without.length > 0 ? `&without=${without.map(encodeURIComponent).join()}` : ''}${chosen}`;
  const own = view.figure !== 'map' && view.figure !== '3d';
  const numbers = async (format: 'csv' | 'json'): Promise<string> => {
    const { csvText, figureData, jsonText } = await import('./figureData');
    const { captions, parametersText } = await import('./figureFile');
    const state = store.get();
    const data = figureData(view, { state, theta: thetaOf(view.sliders, state.overrides) });
    if (!data) throw new Error('This figure has no numbers of its own.');
    const { title, about, source } = captions(subject, view, state);
    const parameters = parametersText(view, state);
    const address = currentAddress();
    if (format === 'json') return jsonText(data, { title, about, source, parameters, address });
    return csvText(data, [title, about, source, parameters, address].filter(Boolean));
  };
  useFigureExport({
    title: [slug, view.measure.name, view.figure === 'map' ? '' : view.figure].filter(Boolean).join('-'),
    svg: make,
    ...(slices && !(subject.of === 'experiment' && subject.opened)
      ? { offline: () => offlinePage(subject, slices, store.get()) }
      : {}),
    ...(own ? { csv: () => numbers('csv'), json: () => numbers('json') } : {}),
    ...(subject.of === 'experiment' && !subject.opened ? { csvHref: data('csv'), jsonHref: data('json') } : {}),
  });
}
