// SPDX-License-Identifier: Apache-2.0
import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { currentCopy } from '../../api/copy';
import type { ErrorBody } from '../../api/types';
import { KINDS, Kind, type KindName } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import {
  getReady,
  type LogProblem,
  MOST_BYTES,
  type OpenedLog,
  type OpenedTable,
  openRunLog,
  openTable,
} from '../../engine/files';
import { decimal } from '../../plots/number';
import { HeaderTree } from '../runs/HeaderTree';
import { LogContents } from '../runs/LogContents';
import { FaultTable } from '../upload/FaultTable';
import { isCsv } from '../upload/files';
import { offset, rowOf } from '../upload/refusal';
import { uploads } from '../upload/session';
import { TableExplorer } from './TableExplorer';
import './open.css';

const POINTS = 400;

type State =
  | { readonly is: 'empty' }
  | { readonly is: 'reading'; readonly name: string }
  | { readonly is: 'log'; readonly file: File; readonly opened: OpenedLog }
  | { readonly is: 'table'; readonly file: File; readonly opened: OpenedTable }
  | { readonly is: 'refused'; readonly name: string; readonly why: string };

async function read(file: File): Promise<State> {
  const { name } = file;
  if (file.size > MOST_BYTES)
    return {
      is: 'refused',
      name,
      why: `It is larger than the ${decimal(MOST_BYTES / 2 ** 20, 0)} MiB that a page can hold. The command coalescope-host check reads it whole.`,
    };
  try {
    if (await isCsv(file)) return { is: 'table', file, opened: await openTable(await file.arrayBuffer(), name) };
    return { is: 'log', file, opened: await openRunLog(await file.arrayBuffer(), name, POINTS) };
  } catch (error) {
    return {
      is: 'refused',
      name,
      why: `The program that reads it could not be run here: ${error instanceof Error ? error.message : error}`,
    };
  }
}

function verdict({ readable, complete, problems, doubts }: OpenedLog['report']): {
  tone: 'bad' | 'warn' | 'plain';
  words: string;
} {
  if (!readable) return { tone: 'bad', words: 'Nothing in it can be read' };
  if (problems.some(({ severity }) => severity === 'error'))
    return { tone: 'bad', words: 'It is damaged; what is whole in it is shown' };
  if (!complete) return { tone: 'warn', words: 'Truncated; shown up to its last complete block' };
  if (doubts.length > 0) return { tone: 'warn', words: 'It is whole, but the run is doubtful' };
  return { tone: 'plain', words: problems.length > 0 ? 'Valid, with warnings' : 'Valid' };
}

function Problems({ problems }: { problems: readonly LogProblem[] }) {
  return (
    <ul className="problems">
      {problems.map((problem) => (
        <li key={`${problem.code} ${problem.offset} ${problem.message}`}>
          {problem.message}
          {problem.offset !== null && <small> Byte {offset(problem.offset)}</small>}
          {problem.block !== null && <small>, block {problem.block}</small>}
          {typeof problem.details.stored === 'string' && (
            <small>
              ; checksum stored {problem.details.stored}, computed {String(problem.details.computed)}
            </small>
          )}
          {problem.advice && <small>. {problem.advice}</small>}
        </li>
      ))}
    </ul>
  );
}

function kindOf(header: OpenedLog['report']['header']): KindName | null {
  const run = header?.run as { kind?: unknown } | undefined;
  return KINDS.find((kind) => kind === run?.kind) ?? null;
}

function LogView({ name, opened: { report, contents } }: { name: string; opened: OpenedLog }) {
  const said = verdict(report);
  const kind = kindOf(report.header);
  return (
    <div className="opened">
      <h2 className="opened-name">
        {name} {kind && <Kind kind={kind} />} <span className="not-uploaded">not uploaded</span>
      </h2>
      <Notice tone={said.tone} title={said.words}>
        {decimal(report.bytes, 0)} bytes
        {report.read_bytes < report.bytes && `, read up to byte ${offset(report.read_bytes)}`}
        {report.version && `, format ${report.version}`}.
        {report.problems.length > 0 && <Problems problems={report.problems} />}
        {report.doubts.length > 0 && <Problems problems={report.doubts} />}
      </Notice>
      {contents && <LogContents name={name} contents={contents} />}
      {report.header && (
        <Section title="The log’s whole header">
          <HeaderTree header={report.header} />
        </Section>
      )}
      <p className="note">
        SHA-256 <code>{report.sha256}</code>. Measures with their checks are made by the server when the log is{' '}
        <Link href="/upload">uploaded</Link>.
      </p>
    </div>
  );
}

/** A table that is not shown: all its faults, as an upload would name them. */
function RefusedTable(props: { name: string; error: ErrorBody; onMap: (() => void) | undefined }) {
  const { name, error, onMap } = props;
  const problems = error.problems.length > 0 ? error.problems : [error];
  const byte = error.where.offset;
  return (
    <Notice tone="bad" title={`${name} is not shown`}>
      {problems.length === 1 ? 'It has a fault.' : `It has ${problems.length} faults.`}
      {typeof byte === 'number' && ` Byte ${offset(byte)}.`} Correct it and choose it again
      {onMap && (
        <>
          , or{' '}
          <button type="button" className="inline" onClick={onMap}>
            say what its columns are
          </button>{' '}
          and upload it as it is
        </>
      )}
      .
      <FaultTable rows={problems.map(rowOf)} />
    </Notice>
  );
}

/** Files are looked at in the browser alone: the program that the server reads them with does it here. */
export function OpenPage() {
  useTitle('Open a file');
  const [, go] = useLocation();
  const [state, setState] = useState<State>({ is: 'empty' });
  const [over, setOver] = useState(false);
  const turn = useRef(0);
  useEffect(getReady, []);

  async function open(file: File | undefined) {
    if (!file) return;
    turn.current += 1;
    const mine = turn.current;
    setState({ is: 'reading', name: file.name });
    const next = await read(file);
    if (mine === turn.current) setState(next);
  }

  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void open(event.dataTransfer.files[0]);
  };
  const onChoose = (event: ChangeEvent<HTMLInputElement>) => {
    void open(event.currentTarget.files?.[0]);
    event.currentTarget.value = '';
  };

  function upload(file: File, csv: boolean) {
    uploads.add([{ file, csv }]);
    go('/upload');
  }

  if (state.is === 'table' && 'cells' in state.opened)
    return (
      <TableExplorer
        key={turn.current}
        experiment={state.opened.experiment}
        cells={state.opened.cells}
        independence={state.opened.independence}
        onUpload={currentCopy() === null ? () => upload(state.file, true) : undefined}
        onClose={() => setState({ is: 'empty' })}
      />
    );
  return (
    <div className="page open run">
      <header className="lede">
        <h1>Open a file without uploading it</h1>
        <p>
          A run log shows its run, a table (CSV) its surface. It is read in this browser and sent nowhere.
          {currentCopy() === null && (
            <>
              {' '}
              To keep it, <Link href="/upload">upload it</Link>.
            </>
          )}
        </p>
      </header>
      <label
        className={`drop ${state.is === 'empty' ? 'first' : ''} ${over ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <input type="file" className="sr" onChange={onChoose} />
        Drop a run log or a table here, or <u>choose a file</u>
      </label>
      {state.is === 'reading' && (
        <p role="status">
          <LoadingLine label="Reading" /> {state.name} is being read.
        </p>
      )}
      {state.is === 'refused' && (
        <Notice tone="bad" title={`${state.name} is not shown`}>
          {state.why}
        </Notice>
      )}
      {state.is === 'table' && 'error' in state.opened && (
        <RefusedTable
          name={state.file.name}
          error={state.opened.error}
          onMap={currentCopy() === null ? () => upload(state.file, true) : undefined}
        />
      )}
      {state.is === 'log' && (
        <>
          {currentCopy() === null && state.opened.report.readable && (
            <p>
              <button type="button" className="action" onClick={() => upload(state.file, false)}>
                Upload it
              </button>
            </p>
          )}
          <LogView name={state.file.name} opened={state.opened} />
        </>
      )}
    </div>
  );
}
