// SPDX-License-Identifier: Apache-2.0
// Which run it is, and what can be done to it.
import { useState } from 'react';
import { Link } from 'wouter';
import { file } from '../../api/client';
import { currentCopy } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useExperiment, useQuantities } from '../../api/queries';
import type { RunDetail } from '../../api/types';
import { useSaid } from '../../components/copy';
import { inWords } from '../../components/factorWords';
import { Icon } from '../../components/Icon';
import { Kind } from '../../components/Kind';
import { save } from '../share/save';
import type { Change } from './ChangeDialog';
import { isLog } from './messages';

function Download({ run }: { run: RunDetail }) {
  const [said, say] = useSaid();
  const [failed, setFailed] = useState<string | null>(null);
  if (!isLog(run) || currentCopy()?.logs === false) return null;
  async function download() {
    try {
      setFailed(null);
      const log = await file(`/api/runs/${encodeURIComponent(run.id)}/log`);
      save(await log.blob(), run.filename ?? `${run.id}.runlog`);
      say('Saved');
    } catch (error) {
      setFailed(reasonOf(error));
    }
  }
  return (
    <>
      <button type="button" className="quiet" onClick={download}>
        <Icon name="export" />
        <span aria-live="polite">{said ?? 'Download the log'}</span>
      </button>
      {failed && (
        <span className="refused" role="alert">
          Not saved: {failed}
        </span>
      )}
    </>
  );
}

export function Heading({ run, onChange }: { run: RunDetail; onChange: (change: Change) => void }) {
  const quantities = useQuantities().data;
  const experiment = useExperiment(run.experiment);
  const retracted = run.status === 'retracted';
  return (
    <>
      <header className="lede">
        <h1>{inWords(run.factors, run.replicate, quantities) || 'Run'}</h1>
        <p>
          A run of <Link href={`/explorer/${run.experiment}`}>{experiment.data?.title ?? run.experiment}</Link>{' '}
          {experiment.data && <Kind kind={experiment.data.kind} />}
        </p>
      </header>
      <div className="run-acts">
        <Download run={run} />
        <Link className="quiet" href={`/experiments/${run.experiment}/runs`}>
          All runs
        </Link>
        {!retracted && currentCopy() === null && (
          <Link className="quiet" href={`/explorer/${run.experiment}?without=${encodeURIComponent(run.id)}`}>
            Explore without it
          </Link>
        )}
        {currentCopy() === null && (
          <span className="changes">
            <button type="button" className="quiet" onClick={() => onChange('correction')}>
              Correct
            </button>
            <button type="button" className="quiet" onClick={() => onChange(retracted ? 'restoration' : 'retraction')}>
              {retracted ? 'Restore' : 'Retract'}
            </button>
          </span>
        )}
      </div>
    </>
  );
}
