// SPDX-License-Identifier: Apache-2.0
// Adaptive moderation beside the fixed settings: what it would cost on the answer's traffic, played when it is asked for.
import { useState } from 'react';
import { reasonOf } from '../../api/errors';
import { useAdaptive } from '../../api/policies';
import type { PolicyTrial } from '../../api/types';
import { CopyButton } from '../../components/Copy';
import { adaptiveWords, PRICE_WORDS, trafficOf } from './adaptive';
import type { Answered } from './answered';
import { settingName } from './settingWords';

function Proposed({ trial, device }: { trial: PolicyTrial; device: string }) {
  const profile = trial.proposal?.rx_profile;
  const command = `ethtool -C ${device} rx-profile ${profile}`;
  return (
    <>
      {adaptiveWords(trial).map((words) => (
        <p key={words}>{words}</p>
      ))}
      {profile && (
        <div className="copied">
          <pre>
            <code>{command}</code>
          </pre>
          <CopyButton text={command} of={command} />
          <p className="note">
            It takes Linux 6.11, a driver with such profiles, and adaptive-rx on. Try it before you keep it.
          </p>
        </div>
      )}
      <p className="note">{PRICE_WORDS}</p>
    </>
  );
}

export function Adaptive(props: { slug: string; found: Answered; device: string; dataVersion?: number }) {
  const { slug, found, device, dataVersion } = props;
  const [isOpen, setOpen] = useState(false);
  const { answer, question, slice } = found;
  const place = answer.answer ?? answer.best ?? 0;
  const traffic = { ...question.where, ...trafficOf(question.settingOf(answer.candidates[place].factors)) };
  const asked = useAdaptive(slug, traffic, dataVersion, isOpen);
  return (
    <details className="more adaptive" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Adaptive moderation on this traffic</summary>
      <div aria-busy={asked.isFetching} role="status">
        <p className="note">{settingName(slice.layout, traffic, false)}, as its runs recorded it.</p>
        {asked.data ? (
          <Proposed trial={asked.data} device={device} />
        ) : (
          <p className="note">{asked.isError ? reasonOf(asked.error) : 'It is being played.'}</p>
        )}
        {asked.isError && (
          <p className="note">
            Where clients wait, <code>coalescope policy dim {slug} --clients N --propose --where …</code> plays so many.
          </p>
        )}
      </div>
    </details>
  );
}
