// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { reasonOf } from '../../api/errors';
import { type RunChange, useChangeRun, useQuantities } from '../../api/queries';
import type { RunDetail } from '../../api/types';
import { Dialog } from '../../components/Dialog';
import { labelOf } from '../../components/factorWords';
import { correctionOf, type Edited } from './messages';

export type Change = RunChange['change'];

const TITLES: Record<Change, string> = {
  retraction: 'Retract this run',
  restoration: 'Restore this run',
  correction: 'Correct this run',
};
const EFFECTS: Record<Change, string> = {
  retraction: 'It no longer counts in its cell. The bytes and the run stay, with this reason, and it can be restored.',
  restoration: 'It counts in its cell again. The retraction stays in its history.',
  correction: 'The run moves to the cell of its new settings. What it was before stays in its history.',
};
const CONFIRM: Record<Change, string> = { retraction: 'Retract', restoration: 'Restore', correction: 'Correct' };

function asText(run: RunDetail): Edited {
  return {
    factors: Object.fromEntries(Object.entries(run.factors).map(([name, value]) => [name, String(value)])),
    replicate: run.replicate === null ? '' : String(run.replicate),
    reason: '',
  };
}

/** Asks for the reason, and for a correction what is right. */
export function ChangeDialog({ run, change, onClose }: { run: RunDetail; change: Change; onClose: () => void }) {
  const quantities = useQuantities();
  const send = useChangeRun(run.id);
  const [edited, setEdited] = useState(() => asText(run));
  const correction = correctionOf(run, edited, quantities.data);
  const named = (name: string): string =>
    [labelOf(name, quantities.data), quantities.data?.find((quantity) => quantity.name === name)?.unit]
      .filter(Boolean)
      .join(', ');
  const reason = edited.reason.trim();
  const ready = reason !== '' && (change !== 'correction' || correction !== null);

  function confirm() {
    if (!ready) return;
    const request: RunChange =
      change === 'correction' && correction ? { change, ...correction } : ({ change, reason } as RunChange);
    send.mutate(request, { onSuccess: onClose });
  }

  return (
    <Dialog
      title={TITLES[change]}
      confirm={CONFIRM[change]}
      busy={!ready || send.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{EFFECTS[change]}</p>
      {change === 'correction' && (
        <>
          {Object.keys(edited.factors).map((name) => (
            <label className="field" key={name}>
              {named(name)}
              <input
                value={edited.factors[name]}
                onChange={(event) =>
                  setEdited({ ...edited, factors: { ...edited.factors, [name]: event.currentTarget.value } })
                }
              />
            </label>
          ))}
          <label className="field">
            Replicate
            <input
              inputMode="numeric"
              pattern="[0-9]*"
              value={edited.replicate}
              onChange={(event) => setEdited({ ...edited, replicate: event.currentTarget.value })}
            />
          </label>
        </>
      )}
      <label className="field">
        Reason, required
        <textarea
          required
          maxLength={2000}
          value={edited.reason}
          onChange={(event) => setEdited({ ...edited, reason: event.currentTarget.value })}
        />
      </label>
      {send.isError && (
        <p className="refused" role="alert">
          Not changed: {reasonOf(send.error)}
        </p>
      )}
    </Dialog>
  );
}
