// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';
import { tryAgain } from '../../../api/copy';
import { reasonOf } from '../../../api/errors';
import type { Fit } from '../../../api/types';
import { Notice } from '../../../components/Notice';
import { brief, decimal } from '../../../plots/number';
import { conditionOf, intervalOf, isRejected } from '../../../state/fit';
import { useExplorer, useFrame } from '../context';
import { DragChooser } from '../drag/DragChooser';
import { inPageWords } from './fitWords';
import { MethodMenu } from './MethodMenu';
import { Parameter } from './Parameter';
import { IdleLoad, WithoutProbes } from './parts';

export interface FitState {
  readonly fit: Fit | null;
  readonly pending: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  /** The cells are newer than the fit. */
  readonly stale: boolean;
  refit(): void;
}

function FitHeader({ state }: { state: FitState | null }) {
  const { toFit } = useExplorer();
  const [edited, setEdited] = useState(false);
  // off the fit and back on it: twice in a drag at most
  useFrame((live) => setEdited(live.edited));
  return (
    <header className={edited ? 'row fithead edited' : 'row fithead'}>
      <h3 className="cap">{edited ? 'Edited' : state ? 'Fit' : 'Parameters'}</h3>
      <span className="row tight">
        {edited && !state && (
          <button type="button" className="quiet small" onClick={toFit}>
            Start values
          </button>
        )}
        {state && <MethodMenu />}
        {state && (
          <button
            type="button"
            className="quiet small boxed"
            disabled={state.busy}
            onClick={() => {
              toFit();
              state.refit();
            }}
          >
            {state.stale ? 'Fit again' : 'Fit'}
          </button>
        )}
      </span>
    </header>
  );
}

export function FitNote({ fit }: { fit: Fit }) {
  const { bootstrap, diagnostics } = fit;
  const given = Object.values(fit.estimates).find(intervalOf);
  const about = [
    `${fit.n} cells${fit.left_out > 0 ? `, ${fit.left_out} runs left out` : ''}`,
    diagnostics.condition_number === null ? null : `condition ${brief(diagnostics.condition_number, 3)}`,
  ].filter(Boolean);
  return (
    <p className="note legend">
      <svg width="26" height="10" aria-hidden="true">
        {given && (
          <path
            d="M1 5h24M1 2v6M25 2v6"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeDasharray={given.ci95 ? undefined : '3 2'}
          />
        )}
        <rect x="10.5" y="2.5" width="5" height="5" fill="var(--ground)" stroke="currentColor" strokeWidth="1.5" />
      </svg>
      {given ? `fit, 95 % interval${conditionOf(given)}` : 'fit, no intervals'}
      <span>{about.join(', ')}</span>
      {bootstrap && given && <small>{basis(fit)}</small>}
    </p>
  );
}

/** What the intervals are made of. */
function basis({ bootstrap, independence }: Fit): string {
  if (bootstrap.unit === 'clusters' && independence) {
    return `leaving out each of ${independence.clusters} ${independence.cluster_kind}s in turn`;
  }
  if (bootstrap.resamples === 0) return `from the scores of the ${bootstrap.unit}`;
  return `from ${decimal(bootstrap.resamples, 0)} resamples of the ${bootstrap.unit}, seed ${bootstrap.seed}`;
}

export function FitBlock({ state }: { state: FitState | null }) {
  const { view, subject } = useExplorer();
  if (view.sliders.length === 0) return null;
  const { fit } = view;
  const said = fit?.message && inPageWords(fit.message, view.sliders, view.layout);
  return (
    <div className={state?.stale ? 'block stale' : 'block'}>
      <FitHeader state={state} />
      {state?.busy && (
        <div className="progress" role="status">
          <span className="sr">Fitting</span>
        </div>
      )}
      {state?.error != null && (
        <Notice tone="bad" title="Couldn’t load the fit" {...tryAgain(state.error, state.refit)}>
          {reasonOf(state.error)} The sliders {fit ? 'keep the fit from before' : 'stand at the paper’s values'}.
        </Notice>
      )}
      {fit && !fit.identifiable && (
        <Notice tone="warn" title="The costs can’t be estimated from these cells">
          {said} The sliders show the published values.
        </Notice>
      )}
      {fit?.identifiable && fit.message && (
        <Notice tone="warn" title={isRejected(fit) ? 'The replicates reject this model' : 'About this fit'}>
          {said}
        </Notice>
      )}
      {state?.stale && (
        <Notice tone="warn" title="This fit is out of date">
          Cells are current, the surface is not.
        </Notice>
      )}
      <div className="params">
        {view.sliders.map((slider) => (
          <Parameter key={slider.name} slider={slider} />
        ))}
      </div>
      <DragChooser />
      {subject.of === 'experiment' && subject.opened && (
        <p className="note">The server makes fits: upload the table.</p>
      )}
      {fit?.identifiable && <FitNote fit={fit} />}
      {fit?.identifiable && fit.estimates.base && <IdleLoad fit={fit} />}
      {fit?.identifiable && fit.without_probes && <WithoutProbes fit={fit} sliders={view.sliders} />}
    </div>
  );
}
