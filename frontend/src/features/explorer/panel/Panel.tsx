// SPDX-License-Identifier: Apache-2.0
// Why: the model with its equation, its numbers at the crosshair, its sliders, and how it stands against the cells.

import { memo } from 'react';
import { Link } from 'wouter';
import { AfterFirstPaint } from '../../../components/AfterPaint';
import { inSentence } from '../../../components/factorWords';
import { Notice } from '../../../components/Notice';
import { catalogue } from '../../../engine/catalogue';
import { NO_MODEL } from '../../../state/explorer';
import { inLogarithm } from '../../../state/field';
import type { View } from '../../../state/view';
import { useExplorer } from '../context';
import { Equation } from '../Equation';
import { shortName, whyNothingBetween } from '../figure/messages';
import { Pins } from '../pins/Pins';
import { CellList } from './CellList';
import { FitBlock, type FitState } from './FitBlock';
import { FramesSwitch } from './FramesSwitch';
import { inPageWords } from './fitWords';
import { Ignored, LiveNumbers } from './LiveNumbers';
import { ModelMenu } from './ModelMenu';
import { CostSplit, Now } from './Now';
import { PythonStatus } from './PythonStatus';
import { ModelNotes } from './parts';
import { Residuals } from './Residuals';
import { SplitAlong } from './SplitAlong';

function alongWhat({ layout }: ReturnType<typeof useExplorer>['view']): string {
  const axis = layout.across === 'x' ? layout.x : layout.y;
  if (!axis) return 'the settings';
  const name = axis.name === 'mtu_bytes' ? 'MTU' : inSentence(shortName(axis));
  return inLogarithm(axis) ? `the logarithm of the ${name}, whatever its scale` : `the ${name}`;
}

/** The model that the data are drawn without, and why. */
function TurnedDown() {
  const { view, store } = useExplorer();
  if (!view.turnedDown) return null;
  const { model, why } = view.turnedDown;
  return (
    <Notice
      tone="warn"
      title={`${model.title} does not fit`}
      action={{ label: 'Show it anyway', onClick: () => store.update({ model: model.id, surface: 'model' }) }}
    >
      {inPageWords(why, model.parameters, view.layout)} The cells are drawn as they are, without it.
    </Notice>
  );
}

function whyNothing(view: View): string {
  if (view.points.length === 1) return 'One cell: nothing lies between it and another.';
  const what = view.layout.shape === 'plane' ? 'No surface' : 'Nothing';
  return `${what} is drawn between these cells: ${whyNothingBetween(view)}.`;
}

export const Panel = memo(function Panel({ fitState }: { fitState: FitState | null }) {
  const { view, subject } = useExplorer();
  const { binding } = view;
  if (!binding)
    return (
      <aside className="model" aria-label="Model">
        <div className="block">
          <header className="row">
            <h2>{view.models.length > 0 || view.field ? 'No model' : 'No model for this measure'}</h2>
            <ModelMenu current={NO_MODEL} />
          </header>
          <p className="why">
            {view.field
              ? `Interpolated between the cells, monotone along ${alongWhat(view)}: no optimum is invented.`
              : whyNothing(view)}
          </p>
          <TurnedDown />
          {view.models.length > 0 && !view.turnedDown && (
            <p className="why">A model predicts this measure: choose it under Change.</p>
          )}
          {view.models.length === 0 &&
            view.slice.unbound(view.measure.name).map(({ model, reason }) => (
              <p className="why" key={model.id}>
                {model.title} {reason}.
              </p>
            ))}
        </div>
        <Now />
        {view.points.length > 0 && view.points.length <= 100 && <CellList />}
        <PythonStatus />
      </aside>
    );
  const split = binding.parts.length > 0;
  const built = catalogue.models.includes(binding.model);
  return (
    <aside className="model" aria-label="Model">
      <div className="block">
        <header className="row">
          <h2>
            {built ? (
              <Link href={`/models/${binding.model.id}/about`}>{binding.model.title}</Link>
            ) : (
              binding.model.title
            )}
          </h2>
          <ModelMenu current={binding.model.id} />
        </header>
        <Equation model={binding.model} output={binding.output} label="Equation" />
        {subject.of === 'model' && (
          <p className="note">
            <Link href={`/models/${binding.model.id}/about`}>About this model</Link> ·{' '}
            <Link href={`/workshop?model=${binding.model.id}`}>Open in the workshop</Link>
          </p>
        )}
        <LiveNumbers />
        <Ignored />
        <FramesSwitch />
      </div>
      <FitBlock state={fitState} />
      <AfterFirstPaint>
        <Pins />
        <Residuals />
        <Now>
          {split && <CostSplit />}
          {split && <SplitAlong />}
        </Now>
        {built && view.measured && (
          <details className="block more">
            <summary>About this model</summary>
            <ModelNotes model={binding.model} />
          </details>
        )}
        <PythonStatus />
      </AfterFirstPaint>
    </aside>
  );
});
