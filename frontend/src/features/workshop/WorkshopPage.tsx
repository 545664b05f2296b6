// SPDX-License-Identifier: Apache-2.0
// The model's Python beside its equation: edit, run, see. Text that came from somebody else is shown, and runs only when the reader presses Run.

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { Mathematics } from '../../components/Mathematics';
import { Menu, MenuItem } from '../../components/Menu';
import { Notice } from '../../components/Notice';
import { Named } from '../../components/QuantityName';
import { RejectedNotice } from '../../components/RejectedNotice';
import { Rich } from '../../components/Rich';
import { Segmented } from '../../components/Segmented';
import { useTitle } from '../../components/title';
import { catalogue } from '../../engine/catalogue';
import { DEFINITIONS, definitionOf } from '../../engine/definitions';
import { mathml } from '../../engine/mathml';
import { createSandbox, RUN_LIMIT_MS, type Status } from '../../engine/sandbox/sandbox';
import { sourceOf, TEMPLATE } from '../../engine/sources';
import { currentFragment, followAddress, replaceFragment } from '../../state/address';
import { GraphRefused } from '../../state/graph/graph';
import type { Observed } from '../../state/observed';
import type { Rejected } from '../../state/reader';
import { fromFragment, LinkRefused, LONGEST_SOURCE, toFragment } from '../../state/sourceLink';
import { begin } from '../../state/underWay';
import { currentQuery, writeQuery } from '../../state/url';
import { modelOf, type OwnModel, parseDocument, readDocument, type UserDocument } from '../../state/userModel';
import { titleWithUnit } from '../explorer/figure/words';
import { fileName, save } from '../share/save';
import { type AskedFit, FIRST, readShown, type Shown, toQuery } from './address';
import { answerOf, type Trouble } from './answer';
import { Editor, type EditorHandle } from './Editor';
import { FitPanel } from './FitPanel';
import { type Placed, Stage } from './Stage';
import '../explorer/explorer.css';
import './workshop.css';

/** Where the text in the editor is from. */
type Origin =
  | { readonly from: 'template' }
  | { readonly from: 'catalogue'; readonly model: string; readonly title: string; readonly file: string; line: number }
  | { readonly from: 'link' }
  | { readonly from: 'file' | 'graph'; readonly name: string };

interface Opened {
  readonly origin: Origin;
  readonly text: string;
  /** Traced before: for texts of this project's own, and for graphs. */
  readonly document: UserDocument | null;
  readonly problem: string | null;
}

const chosenModel = (): string | null => new URLSearchParams(currentQuery()).get('model');

async function fromCatalogue(id: string | null, problem: string | null): Promise<Opened> {
  const found = await sourceOf(id ?? TEMPLATE);
  if (!found) return fromCatalogue(null, `There is no model named ${id?.slice(0, 64)}: this is the template.`);
  const { text, file, line } = found;
  const origin: Origin =
    id && file !== null && line !== null
      ? { from: 'catalogue', model: id, title: catalogue.models.find((m) => m.id === id)?.title ?? id, file, line }
      : { from: 'template' };
  return { origin, text, document: readDocument(found.document), problem };
}

/** What the address names: a text, a model of the catalogue, or nothing. */
async function fromAddress(): Promise<Opened> {
  try {
    const text = await fromFragment(currentFragment());
    if (text !== null) return { origin: { from: 'link' }, text, document: null, problem: null };
  } catch (error) {
    if (!(error instanceof LinkRefused)) throw error;
    return fromCatalogue(chosenModel(), `The text in this link cannot be read: ${error.message}.`);
  }
  return fromCatalogue(chosenModel(), null);
}

async function fromFile(file: File): Promise<Opened> {
  const { name } = file;
  if (file.size > 1_000_000) throw new GraphRefused(`${name} is larger than a million bytes`);
  const text = await file.text();
  if (name.endsWith('.json')) {
    const document = parseDocument(text);
    const note = `# ${name.replace(/[^\w. -]/g, '_')}: a traced model. It is data, and came without its Python.\n`;
    return { origin: { from: 'graph', name }, text: note, document, problem: null };
  }
  if (text.length > LONGEST_SOURCE) throw new GraphRefused(`${name} is longer than ${LONGEST_SOURCE} characters`);
  return { origin: { from: 'file', name }, text, document: null, problem: null };
}

const typeset = (latex: string, display: boolean): string => mathml(latex, display);

const SAID: Readonly<Record<Status['state'], string>> = {
  closed: '',
  starting: 'Python is starting',
  ready: 'Python is ready',
  running: 'Running',
  absent: 'Python cannot run here',
  failed: 'Python did not start',
};

function Provenance({ origin, edited }: { origin: Origin; edited: boolean }) {
  if (origin.from === 'catalogue')
    return (
      <p className="note">
        {edited ? 'Changed from ' : ''}
        <Link href={`/models/${origin.model}`}>{origin.title}</Link>, <code>{origin.file}</code>, line {origin.line}
      </p>
    );
  const words = { template: 'The template', link: 'From a link', file: '', graph: '' }[origin.from];
  return (
    <p className="note">
      {words || ('name' in origin ? `From the file ${origin.name}` : '')}
      {edited ? ', changed' : ''}
    </p>
  );
}

function StartFrom({ origin, onChoose }: { origin: Origin; onChoose(id: string): void }) {
  const value = origin.from === 'catalogue' ? origin.model : origin.from === 'template' ? TEMPLATE : '';
  return (
    <label className="start">
      Start from
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        {value === '' && <option value="">{origin.from === 'link' ? 'a link' : 'a file'}</option>}
        <option value={TEMPLATE}>the template</option>
        <optgroup label="Models of the catalogue">
          {catalogue.models.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}

function Names({ own }: { own: OwnModel }) {
  const rows = [
    ...own.model.inputs.map((q) => ({ q, role: 'input', range: q.typical })),
    ...own.model.parameters.map((q) => ({ q, role: 'parameter', range: [q.lo, q.hi] as const })),
    ...own.model.outputs.map((q) => ({ q, role: 'output', range: null })),
  ];
  return (
    <details className="names">
      <summary>Names, units and ranges</summary>
      <table className="beside">
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">symbol</th>
            <th scope="col">is</th>
            <th scope="col">unit</th>
            <th scope="col">range</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ q, role, range }) => (
            <tr key={`${role} ${q.name}`}>
              <th scope="row">
                <Named name={definitionOf(q.name)?.name}>
                  <code>{q.name}</code>
                </Named>
                {!definitionOf(q.name) && q.description && <small>{q.description}</small>}
              </th>
              <td>
                <Mathematics className="sym" html={q.symbolMath} />
              </td>
              <td>{role}</td>
              <td>
                <Rich>{q.unit || '1'}</Rich>
              </td>
              <td>{range ? `${range[0]} to ${range[1]}` : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Equations({ own, output }: { own: OwnModel; output: string }) {
  const markup = useMemo(() => {
    const shown = [output, ...[...own.latex.keys()].filter((name) => name !== output)];
    return shown.map((name) => ({ name, html: typeset(own.latex.get(name) ?? '', true) }));
  }, [own, output]);
  const [first, ...others] = markup;
  const line = ({ name, html }: { name: string; html: string }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long equation scrolls sideways, also by keyboard
    <div key={name} className="eq" tabIndex={0} role="group" aria-label={`Equation of ${name}`}>
      <Mathematics html={html} />
    </div>
  );
  return (
    <div className="equations">
      {line(first)}
      {others.length > 0 && (
        <details>
          <summary>The other outputs</summary>
          {others.map(line)}
        </details>
      )}
    </div>
  );
}

const known = (estimates: Observed['fit']['estimates']): Record<string, number> =>
  Object.fromEntries(Object.entries(estimates).flatMap(([name, { value }]) => (value === null ? [] : [[name, value]])));

interface Drawn {
  readonly document: UserDocument;
  /** Counts: another run is another drawing. */
  readonly turn: number;
}

export function WorkshopPage() {
  useTitle('Model workshop');
  const [, navigate] = useLocation();
  const [sandbox] = useState(() => createSandbox());
  const status = useSyncExternalStore(sandbox.subscribe, sandbox.status);
  const editor = useRef<EditorHandle | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [edited, setEdited] = useState(false);
  const [stale, setStale] = useState(false);
  const [tooLong, setTooLong] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [output, setOutput] = useState<string | null>(null);
  const [observed, setObserved] = useState<Observed | null>(null);
  const [fits, setFits] = useState(0);
  const [rejected, setRejected] = useState<readonly Rejected[]>([]);
  // what the address says beside the text; it moves with the pointer, so nothing is rendered by it
  const shown = useRef<{ is: Shown; model: string | null }>({ is: FIRST, model: null });
  const put = (part: Partial<Shown>) => {
    shown.current.is = { ...shown.current.is, ...part };
    writeQuery(() => toQuery(shown.current.is, shown.current.model));
  };

  const show = useCallback((document: UserDocument | null) => {
    setDrawn((last) => document && { document, turn: (last?.turn ?? 0) + 1 });
    setObserved(null);
    setStale(false);
  }, []);
  const open = useCallback(
    (next: Opened, address = '') => {
      const read = readShown(address);
      shown.current = { is: read.shown, model: next.origin.from === 'catalogue' ? next.origin.model : null };
      setRejected(read.rejected);
      setOpened(next);
      setProblem(next.problem);
      setTrouble(null);
      setEdited(false);
      setTooLong(false);
      setOutput(read.shown.output);
      show(next.document);
      editor.current?.open(next.text);
    },
    [show],
  );
  const writing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const written = useRef((): void => undefined);
  const stopWriting = useCallback(() => {
    clearTimeout(writing.current);
    written.current();
  }, []);
  // what was asked for last is opened, however long the others take to come
  const asked = useRef(0);
  const openAddress = useCallback(() => {
    const turn = ++asked.current;
    // the text before has no place in the address that is opened
    stopWriting();
    const wanted = () => asked.current === turn;
    fromAddress()
      .then(
        (next) => wanted() && open(next, currentQuery()),
        () => wanted() && setProblem('The sources of the models did not arrive. Load the page again.'),
      )
      .finally(begin());
    return () => {
      if (wanted()) asked.current += 1;
    };
  }, [open, stopWriting]);

  useEffect(() => {
    sandbox.open();
    return () => sandbox.close();
  }, [sandbox]);
  useEffect(() => {
    const cancel = openAddress();
    const stop = followAddress(openAddress);
    return () => {
      cancel();
      stop();
    };
  }, [openAddress]);

  const runs = useRef(0);
  const run = useCallback(async () => {
    const text = editor.current?.text();
    if (text === undefined) return;
    const turn = ++runs.current;
    setBusy(true);
    const answer = answerOf(await sandbox.run(text), RUN_LIMIT_MS);
    // asked for again meanwhile: this one was broken off for it
    if (runs.current !== turn) return;
    setBusy(false);
    // the reader has written on, or opened another text, meanwhile
    if (editor.current?.text() !== text) return;
    const found = 'trouble' in answer ? answer.trouble : null;
    setTrouble(found);
    editor.current.show(found);
    if ('document' in answer) show(answer.document);
  }, [sandbox, show]);

  const onReady = useCallback(
    (handle: EditorHandle | null) => {
      editor.current = handle;
      if (handle && opened) handle.open(opened.text);
    },
    [opened],
  );

  const onChange = () => {
    setEdited(true);
    setStale(true);
    setTrouble(null);
    editor.current?.show(null);
    stopWriting();
    const over = begin();
    written.current = over;
    const write = async () => {
      const text = editor.current?.text();
      if (text === undefined) return;
      const fragment = await toFragment(text);
      // written on, another text opened, or the page left meanwhile
      if (editor.current?.text() !== text) return;
      setTooLong(fragment === null);
      replaceFragment(fragment ?? '');
    };
    writing.current = setTimeout(() => write().finally(over), 300);
  };
  useEffect(() => stopWriting, [stopWriting]);

  const choose = (id: string) => {
    navigate(id === TEMPLATE ? '/workshop' : `/workshop?model=${encodeURIComponent(id)}`);
    openAddress();
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    const turn = ++asked.current;
    try {
      const next = await fromFile(file);
      if (asked.current !== turn) return;
      stopWriting();
      navigate('/workshop');
      open(next);
      if (next.origin.from !== 'file') return;
      const fragment = await toFragment(next.text);
      if (asked.current === turn && editor.current?.text() === next.text) replaceFragment(fragment ?? '');
    } catch (error) {
      setProblem(error instanceof GraphRefused ? `The file was not opened: ${error.message}.` : String(error));
    }
  };

  const estimates = useMemo(
    () => (observed ? { ...observed.fit.held, ...known(observed.fit.estimates) } : undefined),
    [observed],
  );
  const own = useMemo(
    () => (drawn ? modelOf(drawn.document, DEFINITIONS, typeset, estimates) : null),
    [drawn, estimates],
  );
  const outputs = own?.model.outputs ?? [];
  const drawnOutput = outputs.find((o) => o.name === output) ?? outputs[0];
  const chooseOutput = (name: string) => {
    setOutput(name);
    setObserved(null);
    put({ output: name === outputs[0].name ? null : name, fit: null });
  };
  const values = () => ({
    ...Object.fromEntries((own?.model.parameters ?? []).map((p) => [p.name, p.default])),
    ...shown.current.is.set,
  });
  const onPlaced = (placed: Placed) => put(placed);
  const onFit = (found: Observed | null, asked: AskedFit | null, again: boolean) => {
    setObserved(found);
    setFits((n) => n + 1);
    // sliders that were moved before stand at the estimates now
    put({ fit: asked, ...(found && !again ? { set: {} } : {}) });
  };
  const strange = opened && (opened.origin.from === 'link' || opened.origin.from === 'file') && !drawn && !trouble;
  const saveAs = (name: string, text: string, type: string) => save(new Blob([text], { type }), name);

  return (
    <section
      className="workshop"
      aria-label="Model workshop"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
        event.preventDefault();
        run();
      }}
    >
      <header className="head">
        <h1>Model workshop</h1>
        <div className="controls">
          {opened && <StartFrom origin={opened.origin} onChoose={choose} />}
          <button type="button" className="quiet" onClick={() => picker.current?.click()}>
            Open a file
          </button>
          <input
            ref={picker}
            type="file"
            accept=".py,.json"
            hidden
            aria-label="File with Python or a traced model"
            onChange={(event) => {
              take(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
          <Menu label="Save the model" trigger="Save">
            <MenuItem
              note="the text in the editor"
              onSelect={() =>
                saveAs(fileName(own?.model.title ?? 'model', 'py'), editor.current?.text() ?? '', 'text/x-python')
              }
            >
              Python
            </MenuItem>
            <MenuItem
              note="for the API and coalescope fit --model"
              unavailable={drawn ? undefined : 'run it first'}
              onSelect={() =>
                drawn &&
                saveAs(
                  fileName(drawn.document.title, 'json'),
                  `${JSON.stringify(drawn.document.json, null, 1)}\n`,
                  'application/json',
                )
              }
            >
              Traced model, JSON
            </MenuItem>
          </Menu>
        </div>
      </header>

      <div className="source">
        {opened && <Provenance origin={opened.origin} edited={edited} />}
        <RejectedNotice rejected={rejected} />
        {problem && (
          <Notice tone="bad" title="Not as asked" action={{ label: 'Dismiss', onClick: () => setProblem(null) }}>
            {problem}
          </Notice>
        )}
        {strange && (
          <Notice tone="warn" title="This Python is somebody’s: it has not run">
            Read it, then press Run. It runs in a sandbox without network, and sees nothing of this page.
          </Notice>
        )}
        {status.state === 'absent' && (
          <Notice tone="warn" title="Python cannot run in this browser">
            {status.message}. The text can be edited, saved and shared all the same; models of the catalogue and traced
            models from a file (<code>coalescope trace model.py</code>) are drawn and fitted.
          </Notice>
        )}
        {/* not before there is a text: what is typed now would be lost when it comes */}
        {opened ? <Editor onReady={onReady} onChange={onChange} onRun={run} /> : <div className="code" />}
        <p className="do">
          <button
            type="button"
            className="action"
            disabled={busy || !opened || status.state === 'absent'}
            onClick={run}
          >
            Run
          </button>
          <span className="note" role="status">
            {busy && status.state !== 'running' ? 'Waiting for Python to start' : SAID[status.state]}
            {status.state === 'failed' ? `: ${status.message}. Run tries again.` : ''}
          </span>
          <span className="note keys">Ctrl or ⌘ with Enter runs it</span>
        </p>
        {tooLong && <p className="note">The text is too long for a link: save it as a file, and send that.</p>}
        {trouble && (
          <Notice
            tone="bad"
            title={trouble.place ? `Line ${trouble.place.line}` : 'No model came of it'}
            action={
              trouble.place
                ? { label: 'Go there', onClick: () => trouble.place && editor.current?.goTo(trouble.place) }
                : undefined
            }
          >
            {trouble.message} {trouble.advice}
          </Notice>
        )}
      </div>

      <div className="outcome">
        {own && drawn && drawnOutput ? (
          <>
            <header className="row">
              <h2>{own.model.title}</h2>
              {stale && <span className="note stalenote">of the last run</span>}
            </header>
            {outputs.length > 1 && outputs.length <= 3 && (
              <Segmented
                label="Output"
                value={drawnOutput.name}
                segments={outputs.map((o) => ({ value: o.name, label: o.label }))}
                onChange={chooseOutput}
              />
            )}
            {outputs.length > 3 && (
              <label className="start">
                Output
                <select value={drawnOutput.name} onChange={(event) => chooseOutput(event.target.value)}>
                  {outputs.map((o) => (
                    <option key={o.name} value={o.name}>
                      {o.label}
                    </option>
                  ))}
                </select>
              </label>
            )}
            {own.model.inputs.length > 0 ? (
              <>
                <p className="note axis">
                  <Rich>{titleWithUnit(drawnOutput)}</Rich>
                </p>
                <Stage
                  key={`${drawn.turn} ${fits}`}
                  own={own}
                  output={drawnOutput.name}
                  observed={observed}
                  stale={stale}
                  placed={shown.current.is}
                  onPlaced={onPlaced}
                >
                  <Equations own={own} output={drawnOutput.name} />
                </Stage>
              </>
            ) : (
              <>
                <Notice tone="plain" title="Nothing varies">
                  All names of this model have a default, so all are parameters. Take the default from one of them, and
                  it becomes an axis.
                </Notice>
                <Equations own={own} output={drawnOutput.name} />
              </>
            )}
            <Names own={own} />
            <FitPanel
              key={drawn.turn}
              own={own}
              output={drawnOutput.name}
              asked={shown.current.is.fit}
              values={values}
              onFit={onFit}
            />
          </>
        ) : (
          <div className="nothing">
            <h2>{opened ? 'Nothing is drawn yet' : 'The model is on its way'}</h2>
            {opened && <p>Run traces the function: its curve, its equation and its sliders then stand here.</p>}
          </div>
        )}
      </div>
    </section>
  );
}
