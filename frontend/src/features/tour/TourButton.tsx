// SPDX-License-Identifier: Apache-2.0
import { useLocation } from 'wouter';
import { useExperiments } from '../../api/queries';
import { tour } from './visit';

const IN_EXPLORER = /^\/explorer\//;

/** Starts the tour; from another page, on the first experiment that there is. */
export function TourButton() {
  const [path, go] = useLocation();
  const here = IN_EXPLORER.test(path);
  const first = useExperiments(!here).data?.find((e) => e.cells > 0)?.slug;
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
