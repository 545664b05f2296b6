// SPDX-License-Identifier: Apache-2.0
// A study that can be dragged: the explorer's own drawing with the cost of an interrupt below it, and what the setting saves in words.
import { useMemo, useRef } from 'react';
import { createPortal } from 'react-dom';
import { tryAgain } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useCells, useExperiment } from '../../api/queries';
import { Notice } from '../../components/Notice';
import { write } from '../../layers/messages';
import { decimal, digitsFor } from '../../plots/number';
import { predictAt } from '../../state/prediction';
import type { Subject } from '../../state/subject';
import { useAfterFrame, useExplorer } from '../explorer/context';
import { Explorer } from '../explorer/Explorer';
import { namedSetting, settingWords, shortUnit } from '../explorer/figure/messages';
import { CostSplit } from '../explorer/panel/Now';
import { Parameter } from '../explorer/panel/Parameter';
import { gainWords } from './gain';

/** The crosshair's cost beside that of the smallest MTU and the shortest delay. */
function Gain() {
  const { view, store } = useExplorer();
  const { binding, layout } = view;
  const { frames } = store.get();
  const saved = useRef<HTMLElement>(null);
  const where = useRef<HTMLElement>(null);
  const than = useRef<HTMLSpanElement>(null);
  const corner = { x: layout.x?.levels[0] ?? 0, y: layout.y?.levels[0] ?? 0 };
  const named = (x: number, y: number): string =>
    [layout.y && namedSetting(layout.y, y), layout.x && `delay ${settingWords(layout.x, x)}`]
      .filter(Boolean)
      .join(', ');
  const digits = digitsFor(view.values[1] - view.values[0]);
  useAfterFrame(({ place, theta }) => {
    if (!binding || !place.prediction) return;
    const now = place.prediction.total;
    const reference = predictAt(binding, corner.x, corner.y, frames, theta).total;
    write(saved.current, gainWords(now, reference));
    write(where.current, named(place.x, place.y));
    const values = `${decimal(now, digits)} ${shortUnit(view.measure.unit)}, not ${decimal(reference, digits)}`;
    write(than.current, ` than at ${named(corner.x, corner.y)}: ${values}, by the model.`);
  });
  return (
    <>
      <p className="saving">
        <b ref={saved} /> at <b ref={where} />
        <span ref={than} />
      </p>
      <CostSplit />
    </>
  );
}

/** The ruler of one parameter: what a host is like on which an interrupt costs more or less. */
function InterruptCost() {
  const { view } = useExplorer();
  const slider = view.sliders.find(({ tone }) => tone === 'interrupt');
  if (!slider) return null;
  return (
    <section className="interruptcost" aria-label="Cost of an interrupt">
      <Parameter slider={slider} />
      <p className="note">Pull it: on a host whose interrupts cost less, the surface flattens.</p>
    </section>
  );
}

/** `words`: the element that takes what the setting saves. */
export function Showpiece({ slug, query, words }: { slug: string; query: string; words: HTMLElement }) {
  const experiment = useExperiment(slug);
  const cells = useCells(slug);
  const known = experiment.data;
  const filled = cells.data?.cells;
  const subject = useMemo<Subject | null>(
    () => (known && filled ? { of: 'experiment', experiment: known, cells: filled } : null),
    [known, filled],
  );
  const below = useMemo(
    () => (
      <>
        <InterruptCost />
        {createPortal(<Gain />, words)}
      </>
    ),
    [words],
  );
  const error = (known ? null : experiment.error) ?? (filled ? null : cells.error);
  const again = () => {
    experiment.refetch();
    cells.refetch();
  };
  if (error)
    return (
      <Notice tone="bad" title="Couldn’t load the study" {...tryAgain(error, again)}>
        {reasonOf(error)}
      </Notice>
    );
  if (!subject) return null;
  return <Explorer subject={subject} dataVersion={cells.data?.data_version} embed={{ query, below }} />;
}
