// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { useExperiments } from '../../api/queries';
import type { Kind as KindName } from '../../api/types';
import type { Destination } from '../../api/uploads';
import { Dialog } from '../../components/Dialog';
import { KINDS, KindGlyph } from '../../components/Kind';
import { slugOf } from './slug';

const MEANING: Record<KindName, string> = {
  published: 'published figures',
  measured: 'real hardware, by you',
  emulated: 'a real driver on an emulated device',
  simulated: 'computed, no driver involved',
};

interface Form {
  into: string;
  title: string;
  slug: string | null;
  kind: KindName | null;
  citation: string;
  override: boolean;
}

const NEW = '';

function destinationOf(form: Form, tables: boolean, saysKind: boolean): Destination | null {
  if (form.into !== NEW) return { experiment: form.into };
  const experiment = form.slug ?? slugOf(form.title);
  if (!form.title.trim() || !experiment || (tables && !saysKind && !form.kind)) return null;
  const citation = form.citation.trim();
  return {
    experiment,
    title: form.title.trim(),
    ...(tables && form.kind ? { kind: form.kind } : {}),
    ...(citation ? { citation } : {}),
    ...(saysKind && form.override ? { override_source: 'true' as const } : {}),
  };
}

/**
 * A CSV names no experiment, nor does a log that was recorded without one: so it is asked for. A log says its own kind; a
 * table's has no default: it says it itself, as exports do, or it is asked for.
 */
export function DestinationDialog(props: {
  files: readonly string[];
  /** Whether a CSV is among them. */
  tables: boolean;
  /** Whether all of those say their own kind. */
  saysKind: boolean;
  onAnswer: (destination: Destination) => void;
  onClose: () => void;
}) {
  const experiments = useExperiments();
  const [form, setForm] = useState<Form>({
    into: NEW,
    title: '',
    slug: null,
    kind: null,
    citation: '',
    override: false,
  });
  const change = (next: Partial<Form>) => setForm((now) => ({ ...now, ...next }));
  const destination = destinationOf(form, props.tables, props.saysKind);
  const { files } = props;
  return (
    <Dialog
      title={files.length === 1 ? 'Where does the file go?' : `Where do the ${files.length} files go?`}
      confirm="Send"
      busy={!destination}
      onConfirm={() => destination && props.onAnswer(destination)}
      onClose={props.onClose}
    >
      <p>
        {files.slice(0, 3).join(', ')}
        {files.length > 3 && ` and ${files.length - 3} more`}:{' '}
        {props.tables ? 'a CSV names no experiment.' : 'recorded without an experiment.'}
      </p>
      <label className="field">
        Experiment
        <select value={form.into} onChange={(event) => change({ into: event.currentTarget.value })}>
          <option value={NEW}>A new one</option>
          {experiments.data?.map(({ slug, title, kind }) => (
            <option key={slug} value={slug}>
              {title} ({kind})
            </option>
          ))}
        </select>
      </label>
      {form.into === NEW && (
        <>
          <label className="field">
            Title
            <input required value={form.title} onChange={(event) => change({ title: event.currentTarget.value })} />
          </label>
          <label className="field">
            URL slug: lowercase letters, digits and hyphens
            <input
              required
              pattern="[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?"
              title="Small letters, digits and hyphens"
              maxLength={80}
              value={form.slug ?? slugOf(form.title)}
              onChange={(event) => change({ slug: event.currentTarget.value })}
            />
          </label>
          {props.tables && (
            <fieldset className="kind-choice">
              <legend>Kind of data</legend>
              {props.saysKind && (
                <label>
                  <input
                    type="radio"
                    name="kind"
                    value=""
                    checked={form.kind === null}
                    onChange={() => change({ kind: null, override: false })}
                  />
                  <span className="kind">as the file says</span>
                  <small>with its source</small>
                </label>
              )}
              {KINDS.map((kind) => (
                <label key={kind}>
                  <input
                    type="radio"
                    name="kind"
                    required={!props.saysKind}
                    value={kind}
                    checked={form.kind === kind}
                    onChange={() => change({ kind })}
                  />
                  <span className={`kind ${kind}`}>
                    <KindGlyph kind={kind} />
                    {kind}
                  </span>
                  <small>{MEANING[kind]}</small>
                </label>
              ))}
            </fieldset>
          )}
          <label className="field">
            Source <small className="sr">optional</small>
            <input
              value={form.citation}
              placeholder="Who, where, when; a page or a table"
              onChange={(event) => change({ citation: event.currentTarget.value })}
            />
          </label>
          {props.saysKind && (form.kind || form.citation.trim()) && (
            <label>
              <input
                type="checkbox"
                checked={form.override}
                onChange={(event) => change({ override: event.currentTarget.checked })}
              />{' '}
              Where the file says otherwise, this takes its place; that is noted
            </label>
          )}
        </>
      )}
    </Dialog>
  );
}
