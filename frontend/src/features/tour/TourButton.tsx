// SPDX-License-Identifier: Apache-2.0
import { useLocation } from 'wouter';
import { useExperiments } from '../../api/queries';
import type { ExperimentSummary } from '../../api/types';
import { STUDY } from '../home/study';
import { tour } from './visit';

const IN_EXPLORER = /^\/explorer\//;

/** Where it has the most to show: the study that the page opens with; without it, the first experiment with cells. */
function guided(experiments: readonly ExperimentSummary[] | undefined): string | undefined {
  const filled = experiments?.filter(({ cells }) => cells > 0);
  return (filled?.find(({ slug }) => slug === STUDY.slug) ?? filled?.[0])?.slug;
}

/** Starts the tour, from wherever. */
export function TourButton() {
  const [path, go] = useLocation();
  const here = IN_EXPLORER.test(path);
  const first = guided(useExperiments(!here).data);
  if (!here && !first) return null;
  return (
    <button
      type="button"
      className="inline"
      onClick={() => {
        tour.set({ asked: true });
        if (!here) go(`/explorer/${first}`);
      }}
    >
      Take the tour
    </button>
  );
}
