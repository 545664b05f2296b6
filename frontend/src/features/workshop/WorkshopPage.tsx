// SPDX-License-Identifier: Apache-2.0
// The model's Python beside its equation: edit, run, see. Text that came from somebody else is shown, and runs only when the reader presses Run.

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { Notice } from '../../components/Notice';
import { RejectedNotice } from '../../components/RejectedNotice';
import { useTitle } from '../../components/title';
import { createSandbox, RUN_LIMIT_MS } from '../../engine/sandbox/sandbox';
import { TEMPLATE } from '../../engine/sources';
import { followAddress, replaceFragment } from '../../state/address';
import { GraphRefused } from '../../state/graph/graph';
import { startWork } from '../../state/pendingWork';
import type { Rejected } from '../../state/reader';
import { toFragment } from '../../state/sourceLink';
import { currentQuery, writeQuery } from '../../state/url';
import type { UserDocument } from '../../state/userModel';
import { FIRST, readShown, type Shown, toQuery } from './address';
import { answerOf, type Trouble } from './answer';
import { Editor, type EditorHandle } from './Editor';
import { type OnMounted, Outcome } from './Outcome';
import { fromAddress, fromFile, type Opened } from './opened';
import { RunLine } from './RunLine';
import { SaveMenu } from './SaveMenu';
import { Provenance, StartFrom } from './StartFrom';
import { useTextLink } from './useTextLink';
import '../explorer/explorer.css';
import './workshop.css';

export function WorkshopPage() {
  useTitle('Model workshop');
  const [, navigate] = useLocation();
  const [sandbox] = useState(() => createSandbox());
  const status = useSyncExternalStore(sandbox.subscribe, sandbox.status);
  const editor = useRef<EditorHandle | null>(null);
  const { tooLong, changed, stop: stopWriting, reset: resetLink } = useTextLink(() => editor.current?.text());
  const picker = useRef<HTMLInputElement>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [drawn, setDrawn] = useState<OnMounted | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [edited, setEdited] = useState(false);
  const [stale, setStale] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [output, setOutput] = useState<string | null>(null);
  const [rejected, setRejected] = useState<readonly Rejected[]>([]);
  // what the address says beside the text; it moves with the pointer, so nothing is rendered by it
  const shown = useRef<{ is: Shown; model: string | null }>({ is: FIRST, model: null });
  const put = (part: Partial<Shown>) => {
    shown.current.is = { ...shown.current.is, ...part };
    writeQuery(() => toQuery(shown.current.is, shown.current.model));
  };

  const show = useCallback((document: UserDocument | null) => {
    setDrawn((last) => document && { document, turn: (last?.turn ?? 0) + 1 });
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
      resetLink();
      setOutput(read.shown.output);
      show(next.document);
      editor.current?.open(next.text);
    },
    [show, resetLink],
  );
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
        () => wanted() && setProblem('Couldn’t load the models’ sources. Reload the page.'),
      )
      .finally(startWork());
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
    changed();
  };

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
      navigate('/workshop');
      open(next);
      if (next.origin.from !== 'file') return;
      const fragment = await toFragment(next.text);
      if (asked.current === turn && editor.current?.text() === next.text) replaceFragment(fragment ?? '');
    } catch (error) {
      setProblem(error instanceof GraphRefused ? `The file was not opened: ${error.message}.` : String(error));
    }
  };

  const strange = opened && (opened.origin.from === 'link' || opened.origin.from === 'file') && !drawn && !trouble;

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
          <SaveMenu text={() => editor.current?.text() ?? ''} document={drawn?.document ?? null} />
        </div>
      </header>

      <div className="source">
        {opened && <Provenance origin={opened.origin} edited={edited} />}
        <RejectedNotice rejected={rejected} />
        {problem && (
          <Notice tone="bad" title="Couldn’t open that" action={{ label: 'Dismiss', onClick: () => setProblem(null) }}>
            {problem}
          </Notice>
        )}
        {strange && (
          <Notice tone="warn" title="Shared code; not run yet">
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
        <RunLine status={status} busy={busy} ready={opened !== null} onRun={run} />
        {tooLong && <p className="note">The text is too long for a link: save it as a file, and send that.</p>}
        {trouble && (
          <Notice
            tone="bad"
            title={trouble.place ? `Line ${trouble.place.line}` : 'No model produced'}
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
        {drawn ? (
          <Outcome
            drawn={drawn}
            output={output}
            onOutput={setOutput}
            stale={stale}
            shown={() => shown.current.is}
            put={put}
          />
        ) : (
          <div className="nothing">
            <h2>{opened ? 'Nothing is drawn yet' : 'Loading the model'}</h2>
            {opened && <p>Run traces the function: its curve, its equation and its sliders then stand here.</p>}
          </div>
        )}
      </div>
    </section>
  );
}
