// SPDX-License-Identifier: Apache-2.0
import { type ChangeEvent, type DragEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { KINDS, Kind, type KindName } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { useTitle } from '../../components/title';
import { type LogProblem, MOST_BYTES, type Opened, openRunLog } from '../../engine/runLog';
import { decimal } from '../../plots/number';
import { HeaderTree } from '../runs/HeaderTree';
import { LogContents, Part } from '../runs/LogContents';
import { isCsv } from '../upload/files';
import { offset } from '../upload/refusal';
import './open.css';

const POINTS = 400;

type State =
  | { readonly is: 'empty' }
  | { readonly is: 'reading'; readonly name: string }
  | { readonly is: 'open'; readonly name: string; readonly opened: Opened }
  | { readonly is: 'refused'; readonly name: string; readonly why: string };

async function read(file: File): Promise<State> {
  const { name } = file;
  if (file.size > MOST_BYTES)
    return {
      is: 'refused',
      name,
      why: `It is larger than the ${decimal(MOST_BYTES / 2 ** 20, 0)} MiB that a page can hold. The command coalescope-host check reads it whole.`,
    };
  if (await isCsv(file))
    return {
      is: 'refused',
      name,
      why: 'It is text, not a run log. Tables are read by the upload page, which checks all of them before it keeps anything.',
    };
  try {
    return { is: 'open', name, opened: await openRunLog(await file.arrayBuffer(), name, POINTS) };
  } catch (error) {
    return {
      is: 'refused',
      name,
      why: `The codec could not be run here: ${error instanceof Error ? error.message : error}`,
    };
  }
}

function verdict({ readable, complete, problems }: Opened['report']): {
  tone: 'bad' | 'warn' | 'plain';
  words: string;
} {
  if (!readable) return { tone: 'bad', words: 'Nothing in it can be read' };
  if (problems.some(({ severity }) => severity === 'error'))
    return { tone: 'bad', words: 'It is damaged; what is whole in it is shown' };
  if (!complete) return { tone: 'warn', words: 'It was cut off; it is shown up to its last whole block' };
  return { tone: 'plain', words: problems.length > 0 ? 'It is whole, with remarks' : 'It is whole and sound' };
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

function kindOf(header: Opened['report']['header']): KindName | null {
  const run = header?.run as { kind?: unknown } | undefined;
  return KINDS.find((kind) => kind === run?.kind) ?? null;
}

function OpenedLog({ name, opened: { report, contents } }: { name: string; opened: Opened }) {
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
      </Notice>
      {contents && <LogContents name={name} contents={contents} />}
      {report.header && (
        <Part title="The log’s whole header">
          <HeaderTree header={report.header} />
        </Part>
      )}
      <p className="note">
        SHA-256 <code>{report.sha256}</code>. Measures with their checks are made by the server when the log is{' '}
        <Link href="/upload">uploaded</Link>.
      </p>
    </div>
  );
}

/** A log is looked at in the browser alone: the codec that the server uses reads it here. */
export function OpenPage() {
  useTitle('Open a log');
  const [state, setState] = useState<State>({ is: 'empty' });
  const [over, setOver] = useState(false);
  const turn = useRef(0);

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

  return (
    <div className="page open run">
      <header className="lede">
        <h1>Open a log without uploading it</h1>
        <p>
          It is read in this browser and sent nowhere. To keep it, with its measures,{' '}
          <Link href="/upload">upload it</Link>.
        </p>
      </header>
      <label
        className={`drop ${over ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <input type="file" className="sr" onChange={onChoose} />
        Drop a run log here, or choose one
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
      {state.is === 'open' && <OpenedLog name={state.name} opened={state.opened} />}
    </div>
  );
}
