// SPDX-License-Identifier: Apache-2.0
// Which data: experiment, choices, measure, factors, what was held fixed.

import { memo, useContext, useState } from 'react';
import { Link } from 'wouter';
import { AfterFirstPaint } from '../../../components/AfterPaint';
import { inSentence } from '../../../components/factorWords';
import { Icon } from '../../../components/Icon';
import { Kind } from '../../../components/Kind';
import { TooltipsEnabled } from '../../../components/QuantityName';
import { Rich } from '../../../components/Rich';
import type { Axis } from '../../../state/layout';
import { TourButton } from '../../tour/TourButton';
import { useExplorer } from '../context';
import { levelWords, shortName } from '../figure/messages';
import { ModelNotes } from '../panel/parts';
import { Choices } from './Choices';
import { ExperimentMenu } from './ExperimentMenu';
import { Factors } from './Factors';
import { Measures, shortLabel } from './Measures';
import { Fixed, Notes, SourceLink } from './Origin';

function summaryOf({ view, store }: ReturnType<typeof useExplorer>): string {
  const { x, y } = view.layout;
  const { where } = store.get();
  const chosen = view.layout.choices.map(({ name, label }) => {
    const level = where[name];
    return typeof level === 'number' ? `${inSentence(label)} ${levelWords(level)}` : levelWords(level);
  });
  const axes = [y, x].filter((a): a is Axis => a !== null).map((a) => `${inSentence(shortName(a))} ${a.levels.length}`);
  return [...chosen, shortLabel(view.measure).toLowerCase().replace('cpu', 'CPU'), axes.join(' × ')]
    .filter(Boolean)
    .join(' · ');
}

export const Rail = memo(function Rail() {
  const helped = useContext(TooltipsEnabled);
  const explorer = useExplorer();
  const { subject } = explorer;
  const [open, setOpen] = useState(false);
  return (
    <aside className={open ? 'rail open' : 'rail'} aria-label="Data">
      <div className="block first">
        <p className="cap">{subject.of === 'experiment' ? 'Experiment' : 'Model without data'}</p>
        {subject.of === 'experiment' ? (
          <>
            {subject.opened ? (
              <h1 className="pick">{subject.experiment.title}</h1>
            ) : (
              <ExperimentMenu experiment={subject.experiment} />
            )}
            <p className="meta">
              {subject.opened ? (
                <span className="not-uploaded">opened here, not uploaded</span>
              ) : (
                <Kind kind={subject.experiment.kind} />
              )}
              <SourceLink experiment={subject.experiment} />
            </p>
          </>
        ) : (
          <>
            <h1 className="pick">{subject.model.title}</h1>
            <p className="meta">
              <Link href="/models">All models</Link>
            </p>
          </>
        )}
        <button type="button" className="summary" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span>
            <Rich>{summaryOf(explorer)}</Rich>
          </span>
          <Icon name="down" small />
        </button>
      </div>
      <AfterFirstPaint>
        <Choices />
        <div className="block">
          <h2 className="cap">{subject.of === 'model' ? 'Output' : 'Measure'}</h2>
          <Measures />
        </div>
        <Factors />
        {subject.of === 'experiment' ? (
          <>
            <Fixed experiment={subject.experiment} />
            <Notes experiment={subject.experiment} />
          </>
        ) : (
          <div className="block notes">
            <ModelNotes model={subject.model} />
          </div>
        )}
        {helped && (
          <div className="block help">
            <Link href="/glossary">Glossary</Link>
            {subject.of === 'experiment' && <TourButton />}
          </div>
        )}
      </AfterFirstPaint>
    </aside>
  );
});
