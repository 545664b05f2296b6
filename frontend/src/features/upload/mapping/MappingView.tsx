// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { ApiError } from '../../../api/errors';
import { useExperiments, useQuantities } from '../../../api/queries';
import type { Kind as KindName, Look } from '../../../api/types';
import { type Destination, lookAt } from '../../../api/uploads';
import { Icon } from '../../../components/Icon';
import { KINDS, Kind } from '../../../components/Kind';
import { LoadingLine } from '../../../components/Loading';
import { Notice } from '../../../components/Notice';
import { Section } from '../../../components/Section';
import { Segmented } from '../../../components/Segmented';
import { FaultTable } from '../FaultTable';
import { rowOf } from '../refusal';
import { slugOf } from '../slug';
import { ColumnTable } from './ColumnTable';
import { changed, type Draft, draftOf, mappingOf, openQuestions } from './draft';
import { recall, remember } from './memory';
import { PreviewFigure } from './PreviewFigure';
import './mapping.css';

/** The look at a file as it is mapped now; the one before stays until the next is there. */
function useLook(file: File, draft: Draft | null, layout: Look['layout'] | undefined) {
  const mapping = draft && layout ? mappingOf(draft, layout) : null;
  return useQuery({
    queryKey: ['look', file.name, file.size, file.lastModified, mapping],
    queryFn: ({ signal }) => lookAt(file, file.name, mapping, signal),
    placeholderData: (before) => before,
    enabled: draft !== null && mapping !== null,
    retry: false,
  });
}

function Facts({ name, look }: { name: string; look: Look }) {
  const { rows, separated_by, decimal, comments, packed, layout } = look;
  return (
    <p className="facts">
      <b>{name}</b>
      <span>{rows === 1 ? '1 row' : `${rows} rows`}</span>
      {layout.sheet && (
        <span>
          sheet <b>{layout.sheet}</b>
        </span>
      )}
      {separated_by && (
        <span>
          separated by <b>{separated_by}</b>
        </span>
      )}
      {decimal && (
        <span>
          decimal <b>{decimal === ',' ? 'comma' : 'point'}</b>
        </span>
      )}
      {layout.encoding !== 'utf-8' && <span>{layout.encoding}</span>}
      {packed && <span>gzip</span>}
      {comments > 0 && <span>{comments === 1 ? '1 remark' : `${comments} remarks`} passed over</span>}
      {layout.header_row === 0 && <span>no row names the columns</span>}
    </p>
  );
}

function Missing({ look }: { look: Look }) {
  return (
    <ul className="missing">
      {look.remarks.map(({ state, title, text }) => (
        <li key={`${title} ${text}`}>
          <Icon name={state === 'ok' ? 'ok' : 'warn'} className={state} />
          <span>
            <b>{title}</b> {text}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Preview({ look }: { look: Look }) {
  const [wanted, want] = useState<string | null>(null);
  const measures = look.preview?.experiment.measures ?? [];
  const shown = measures.find(({ name }) => name === wanted) ?? measures[0];
  return (
    <Section
      title="Preview"
      beside={
        <>
          {shown && measures.length > 1 && measures.length < 4 && (
            <Segmented
              label="Measure shown"
              segments={measures.map(({ name, label }) => ({ value: name, label: label.split(',')[0] }))}
              value={shown.name}
              onChange={want}
            />
          )}
          {shown && measures.length > 3 && (
            <select aria-label="Measure shown" value={shown.name} onChange={(event) => want(event.currentTarget.value)}>
              {measures.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </>
      }
    >
      {look.preview && shown ? (
        <>
          <PreviewFigure experiment={look.preview.experiment} cells={look.preview.cells} measure={shown.name} />
          <p className="note" aria-live="polite">
            {shown.label}
            {shown.unit && `, ${shown.unit}`}; {look.preview.cells.length} cells, no model yet.
          </p>
        </>
      ) : (
        look.problems.length === 0 && <p className="empty">Nothing can be drawn yet.</p>
      )}
      {look.problems.length > 0 && (
        <Notice tone="bad" title="As it is mapped, it cannot be stored">
          <FaultTable rows={look.problems.map(rowOf)} />
        </Notice>
      )}
      <Missing look={look} />
    </Section>
  );
}

function stemOf(name: string): string {
  return name.replace(/\.gz$/, '').replace(/\.[^.]*$/, '');
}

function Save(props: {
  filename: string;
  open: readonly string[];
  busy: boolean;
  error: ApiError | null;
  onSave: (destination: Omit<Destination, 'mapping'>) => void;
}) {
  const { filename, open, busy, error, onSave } = props;
  const experiments = useExperiments();
  const id = useId();
  const [title, setTitle] = useState(stemOf(filename));
  const [kind, setKind] = useState<KindName>('measured');
  const slug = slugOf(title);
  const there = experiments.data?.find((each) => each.slug === slug);
  return (
    <form
      className="save"
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ experiment: slug, title: title.trim(), kind: there?.kind ?? kind });
      }}
    >
      <label className="field" htmlFor={`${id}title`}>
        Name of the experiment
        <input
          id={`${id}title`}
          required
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      <button
        type="submit"
        className="action"
        disabled={busy || open.length > 0 || !slug}
        aria-describedby={`${id}why`}
      >
        {busy ? 'Saving' : 'Save and open'}
      </button>
      <p className="note" id={`${id}why`} role="status">
        {open.length > 0 ? (
          <>First: {open.slice(0, 4).join('; ')}.</>
        ) : there ? (
          <>
            Its rows go into “{there.title}” <Kind kind={there.kind} />, which is there already.
          </>
        ) : (
          <label>
            Saved as{' '}
            <select
              aria-label="Kind of data"
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as KindName)}
            >
              {KINDS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
            , with the file and what its columns mean.
          </label>
        )}
      </p>
      {error && (
        <Notice tone="bad" title="It was not stored">
          {error.message} {error.advice}
          {error.problems.length > 1 && <FaultTable rows={error.problems.map(rowOf)} />}
        </Notice>
      )}
    </form>
  );
}

/** A table before it is stored: what was seen, what each column is, the surface that it makes, and what is missing. */
export function MappingView(props: {
  file: File;
  look: Look;
  busy: boolean;
  error: ApiError | null;
  onSave: (destination: Destination) => void;
  onLeaveOut: () => void;
}) {
  const { file, look: first, busy, error, onSave, onLeaveOut } = props;
  const quantities = useQuantities();
  const [draft, setDraft] = useState<Draft>(() => {
    const proposed = draftOf(first);
    return recall(proposed, localStorage) ?? proposed;
  });
  const now = useLook(file, draft, first.layout);
  const known = now.data ?? first;
  // samples, candidates and evidence are the first look's; units and values those of what is mapped now
  const look: Look = {
    ...known,
    columns: known.columns.map((column, i) => ({ ...column, candidates: first.columns[i]?.candidates ?? [] })),
  };
  const refused = now.error instanceof ApiError ? now.error : null;
  useEffect(() => {
    if (refused?.code === 'bad_unit')
      setDraft((d) => d.map((each) => ({ ...each, unit: each.quantity.startsWith('measure.') ? each.unit : '' })));
  }, [refused]);
  const mapping = mappingOf(draft, first.layout);
  const open = openQuestions(draft);
  const roles = new Set(
    mapping ? draft.filter(({ role, quantity }) => role !== 'ignore' && quantity).map(({ role }) => role) : [],
  );
  if (!roles.has('set')) open.push('say which column was set');
  if (!roles.has('observed')) open.push('say which column was observed');
  if (look.problems.length > 0) open.push('mend what cannot be stored');
  return (
    <div className="mapcols">
      <Section title="Columns" beside={<Facts name={file.name} look={first} />}>
        {quantities.data && (
          <ColumnTable
            look={look}
            draft={draft}
            quantities={quantities.data}
            onChange={(column, change) => setDraft((d) => changed(d, column, change))}
          />
        )}
        <details className="raw">
          <summary>The file, first lines</summary>
          <pre>{first.first_lines.join('\n')}</pre>
        </details>
        <p className="acts">
          <button type="button" className="inline" onClick={onLeaveOut}>
            Leave this file out
          </button>
        </p>
      </Section>
      <div>
        {now.isFetching && <LoadingLine label="Reading" />}
        {refused && refused.code !== 'bad_unit' ? (
          <Notice tone="bad" title="As it is mapped, it cannot be read">
            {refused.message} {refused.advice}
          </Notice>
        ) : (
          <Preview look={look} />
        )}
        <Save
          filename={file.name}
          open={open}
          busy={busy}
          error={error}
          onSave={(destination) => {
            if (!mapping) return;
            remember(draft, localStorage);
            onSave({ ...destination, mapping: JSON.stringify(mapping) });
          }}
        />
      </div>
    </div>
  );
}
