// SPDX-License-Identifier: Apache-2.0
// An experiment's surface and its sliders in a notebook, whose Python has the same parameters.
import { useLayoutEffect, useMemo, useRef } from 'react';
import { reasonOf } from '../../api/errors';
import { useCells, useExperiment } from '../../api/queries';
import { Kind, type KindName } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { Sliders } from '../../features/embed/Sliders';
import { useAfterFrame, useExplorer } from '../../features/explorer/context';
import { Explorer } from '../../features/explorer/Explorer';
import { type Slider, thetaOf } from '../../state/fit';
import type { Subject } from '../../state/subject';
import type { Domains, Notebook, Parameters } from './notebook';
import '../../features/embed/embed.css';
import './notebook.css';

const end = (bound: number): number | null => (Number.isFinite(bound) ? bound : null);

const domainsOf = (sliders: readonly Slider[]): Domains =>
  Object.fromEntries(sliders.map(({ name, domain: [lo, hi] }) => [name, [end(lo), end(hi)]]));

/** What sliders were moved to; what one cannot be, or is not told of, leaves it where it is. */
export function movedTo(sliders: readonly Slider[], given: Parameters, overrides: Parameters): Parameters {
  const moved = sliders.flatMap(({ name, start, domain: [lo, hi] }): [string, number][] => {
    const value = given[name] >= lo && given[name] <= hi ? given[name] : (overrides[name] ?? start);
    return value === start ? [] : [[name, value]];
  });
  return Object.fromEntries(moved);
}

/** Sliders and Python's parameters say the same. Before the fit is here there is nothing to say. */
function Linked({ notebook }: { notebook: Notebook }) {
  const { store, view, settleRulers } = useExplorer();
  const ready = view.mode !== 'blank';
  const now = useRef({ view, settleRulers });
  now.current = { view, settleRulers };
  const names = view.sliders.map(({ name }) => name).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other sliders take Python's parameters once more
  useLayoutEffect(() => {
    if (!ready) return;
    const take = () => {
      const { sliders } = now.current.view;
      const { overrides } = store.get();
      const moved = movedTo(sliders, notebook.parameters(), overrides);
      if (JSON.stringify(thetaOf(sliders, moved)) === JSON.stringify(thetaOf(sliders, overrides))) return;
      store.update({ overrides: moved });
      now.current.settleRulers();
    };
    take();
    return notebook.follow(take);
  }, [notebook, store, ready, names]);
  useAfterFrame(() => {
    const { sliders } = view;
    if (ready) notebook.tell(thetaOf(sliders, store.get().overrides), domainsOf(sliders));
  });
  return null;
}

export function NotebookView({ notebook }: { notebook: Notebook }) {
  const { slug, query } = notebook;
  const experiment = useExperiment(slug);
  const cells = useCells(slug);
  const known = experiment.data;
  const filled = cells.data?.cells;
  const independence = cells.data?.independence;
  const subject = useMemo<Subject | null>(
    () => (known && filled ? { of: 'experiment', experiment: known, cells: filled, independence, planned: [] } : null),
    [known, filled, independence],
  );
  const embed = useMemo(
    () => ({
      query,
      below: (
        <>
          <Sliders />
          <Linked notebook={notebook} />
        </>
      ),
    }),
    [notebook, query],
  );
  const failed = experiment.error ?? cells.error;
  if (failed)
    return (
      <Notice tone="bad" title="Couldn’t load the experiment">
        {reasonOf(failed)}
      </Notice>
    );
  if (!known || !subject) return <LoadingLine label="Loading the experiment" />;
  return (
    <>
      <header>
        <b>{known.title}</b>
        <Kind kind={known.kind as KindName} />
      </header>
      <Explorer subject={subject} dataVersion={cells.data?.data_version} embed={embed} />
      <footer>
        <p>{known.source.citation ?? known.subtitle}</p>
      </footer>
    </>
  );
}
