// SPDX-License-Identifier: Apache-2.0
// What can be done to an experiment as a whole: say what it is, and delete it.
import { useState } from 'react';
import { useChangeExperiment, useDeleteExperiment } from '../../../api/changing';
import { currentCopy } from '../../../api/copy';
import { reasonOf } from '../../../api/errors';
import type { Experiment } from '../../../api/types';
import { Dialog } from '../../../components/Dialog';
import { asText, changeOf, type Edited } from './messages';
import './change.css';

function Refused({ error }: { error: unknown }) {
  return (
    <p className="refused" role="alert">
      Not changed: {reasonOf(error)}
    </p>
  );
}

const LONGEST: Record<keyof Edited, number> = {
  title: 200,
  subtitle: 300,
  citation: 2000,
  how_made: 10_000,
  notes: 10_000,
};

function EditDialog({ experiment, onClose }: { experiment: Experiment; onClose: () => void }) {
  const send = useChangeExperiment(experiment.slug);
  const [edited, setEdited] = useState(() => asText(experiment));
  const change = changeOf(experiment, edited);
  const field = (name: keyof Edited) => ({
    maxLength: LONGEST[name],
    value: edited[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setEdited({ ...edited, [name]: event.currentTarget.value }),
  });
  return (
    <Dialog
      title="Edit this experiment"
      confirm="Save"
      busy={change === null || send.isPending}
      onConfirm={() => change && send.mutate(change, { onSuccess: onClose })}
      onClose={onClose}
    >
      <label className="field">
        Title
        <input required {...field('title')} />
        <small>
          Its address stays <code>{experiment.slug}</code>, so that links to it go on working.
        </small>
      </label>
      <label className="field">
        Subtitle
        <input {...field('subtitle')} />
      </label>
      <label className="field">
        Source to cite
        <input {...field('citation')} />
      </label>
      <label className="field">
        How it was made
        <textarea {...field('how_made')} />
      </label>
      <label className="field">
        Notes, one a line
        <textarea {...field('notes')} />
      </label>
      {send.isError && <Refused error={send.error} />}
    </Dialog>
  );
}

function DeleteDialog({ experiment, onClose }: { experiment: Experiment; onClose: () => void }) {
  const send = useDeleteExperiment(experiment.slug);
  return (
    <Dialog
      title={`Delete ${experiment.title}?`}
      confirm="Delete"
      busy={send.isPending}
      onConfirm={() => send.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        It is shown no more, and links to it say so. Its runs and files stay in the store: it can be restored at this
        address, or below the list of experiments.
      </p>
      {send.isError && <Refused error={send.error} />}
    </Dialog>
  );
}

const DIALOGS = { edit: EditDialog, delete: DeleteDialog } as const;

/** Nothing for what comes with the program, and in a copy that has no server. */
export function ChangeExperiment({ experiment }: { experiment: Experiment }) {
  const [asked, ask] = useState<keyof typeof DIALOGS | null>(null);
  if (experiment.of_a_data_set || currentCopy() !== null) return null;
  const Asked = asked && DIALOGS[asked];
  return (
    <div className="experiment-acts">
      <button type="button" className="quiet" onClick={() => ask('edit')}>
        Edit
      </button>
      <button type="button" className="quiet" onClick={() => ask('delete')}>
        Delete
      </button>
      {Asked && <Asked experiment={experiment} onClose={() => ask(null)} />}
    </div>
  );
}
