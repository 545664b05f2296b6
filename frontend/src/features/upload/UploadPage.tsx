// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../api/errors';
import { useExperiment } from '../../api/queries';
import type { Look, UploadReceipt } from '../../api/types';
import { lookAt } from '../../api/uploads';
import { Kind } from '../../components/Kind';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import { addressOf } from '../../state/address';
import { CoverageGrid } from './CoverageGrid';
import { DestinationDialog } from './DestinationDialog';
import { FileList } from './FileList';
import { saysKind } from './files';
import { exampleFile, templateAddress } from './mapping/example';
import { MappingView } from './mapping/MappingView';
import type { Item } from './queue';
import { RecentUploads } from './RecentUploads';
import { addFiles, uploads, useUploads } from './session';
import { Totals } from './Totals';
import { restInWords, tallyOf } from './tally';
import { usePageDrop } from './usePageDrop';
import './upload.css';

/** Whether every table that is held says its own kind; null until they have been looked at. */
function useSaysKind(held: readonly Item[]): boolean | null {
  const [says, setSays] = useState<boolean | null>(null);
  const keys = held.map(({ key }) => key).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys stand for the files
  useEffect(() => {
    let asked = true;
    setSays(null);
    const tables = held.filter(({ csv }) => csv);
    void Promise.all(tables.map(({ file }) => saysKind(file))).then((all) => asked && setSays(all.every(Boolean)));
    return () => {
      asked = false;
    };
  }, [keys]);
  return says;
}

interface Looked {
  readonly key: number;
  readonly look: Look;
}

/**
 * Held tables are looked at one after the other: `mapped` is one whose columns have to be said; it stays until it is stored or left out.
 * `looking`: there may be one yet.
 */
function useMapped(items: readonly Item[]): { mapped: (Looked & { item: Item }) | null; looking: boolean } {
  const [mapping, setMapping] = useState<Looked | null>(null);
  const [tidy, setTidy] = useState<ReadonlySet<number>>(new Set());
  const item = items.find(({ key, phase }) => key === mapping?.key && phase !== 'stored' && phase !== 'known');
  const next = item ? undefined : items.find(({ key, phase, csv }) => csv && phase === 'held' && !tidy.has(key));
  const seen = useQuery({
    queryKey: ['look', next?.key ?? null, next?.file.name, next?.file.size, next?.file.lastModified],
    queryFn: ({ signal }) => (next ? lookAt(next.file, next.file.name, null, signal) : null),
    enabled: next !== undefined,
    retry: false,
  });
  const key = next?.key;
  useEffect(() => {
    if (key === undefined) return;
    if (seen.data && !seen.data.tidy) setMapping({ key, look: seen.data });
    else if (seen.error instanceof ApiError && seen.error.status < 500 && seen.error.status !== 401)
      uploads.reject(key, seen.error);
    else if (seen.data || seen.error) setTidy((all) => new Set([...all, key])); // the upload itself says what is amiss
  }, [key, seen.data, seen.error]);
  return { mapped: item && mapping ? { ...mapping, item } : null, looking: next !== undefined };
}

const REFRESH_MS = 1000;

/** Lets the rest of the page know, at most once a second, that the store has grown. */
function useRefreshAfter(stored: number): void {
  const client = useQueryClient();
  const due = useRef(false);
  useEffect(() => {
    if (stored === 0 || due.current) return;
    due.current = true;
    const refresh = () => {
      due.current = false;
      void client.invalidateQueries({ queryKey: ['experiments'] });
      void client.invalidateQueries({ queryKey: ['uploads'] });
    };
    setTimeout(refresh, REFRESH_MS);
  }, [stored, client]);
}

function DropZone({
  over,
  first,
  onFiles,
}: {
  over: boolean;
  first: boolean;
  onFiles: (files: Iterable<File>) => void;
}) {
  return (
    <label className={`drop ${over ? 'over' : ''} ${first ? 'first' : ''}`}>
      <input
        type="file"
        multiple
        className="sr"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      {over ? (
        'Drop to open it'
      ) : (
        <>
          Drop {first ? 'run logs or tables' : 'more files'} here, or <u>choose files</u>
        </>
      )}
    </label>
  );
}

/** What can be tried without a table of one's own. */
function ToTry({ onFile }: { onFile: (file: File) => void }) {
  return (
    <p className="dropline note">
      CSV, TSV, xlsx, also gzipped, and run logs. Nothing of a table is stored before you save.
      <button type="button" className="inline" onClick={() => onFile(exampleFile())}>
        Use the example
      </button>
      <a href={templateAddress()} download="template.csv">
        Template
      </a>
    </p>
  );
}

function Introduction() {
  return (
    <div className="intro">
      <Section title="Run logs">
        <p>
          One file a run, as <code>coalescope-logger</code> writes it. It names its own experiment, and every block is
          checked before anything is kept. A log that was cut off is kept up to its last whole block.
        </p>
      </Section>
      <Section title="Tables">
        <p>
          Any table with a row for each run: the page asks what its columns are, and shows the surface before anything
          is kept. Columns that carry the names of the glossary, such as <code>mtu_bytes</code>, <code>delay_us</code>,{' '}
          <code>throughput_mbps</code>, need no asking; <code>n</code> and <code>MEASURE_sd</code> make a row of means.
          An empty field means: not known.
        </p>
      </Section>
      <Section title="Files of other tools">
        <p>
          What iperf3, netperf, flent, sar, mpstat, ethtool and others wrote:{' '}
          <code>coalescope upload FILES --server</code> <code>{addressOf('/').replace(/\/$/, '')}</code> joins those of
          one run, and asks for what they do not say.
        </p>
      </Section>
    </div>
  );
}

function receiptsOf(items: readonly Item[]): UploadReceipt[] {
  return items.flatMap(({ receipt }) => (receipt ? [receipt] : []));
}

/** Where the files went, the latest experiment last. */
function Into({ receipts }: { receipts: readonly UploadReceipt[] }) {
  const titles = new Map(receipts.map(({ experiment }) => [experiment.slug, experiment.title]));
  const latest = receipts.at(-1)?.experiment.slug ?? '';
  const experiment = useExperiment(latest);
  return (
    <p>
      Into{' '}
      {[...titles].map(([slug, title], i) => (
        <span key={slug}>
          {i > 0 && ', '}
          <Link href={`/explorer/${slug}`}>{title}</Link>
        </span>
      ))}{' '}
      {titles.size === 1 && experiment.data && <Kind kind={experiment.data.kind} />}
    </p>
  );
}

/** A table that was mapped is opened as soon as it is on disk. */
function useOpened(items: readonly Item[], mapped: number | undefined, go: (path: string) => void): void {
  const last = useRef<number | undefined>(undefined);
  useEffect(() => {
    const receipt = mapped === undefined && items.find(({ key }) => key === last.current)?.receipt;
    last.current = mapped ?? last.current;
    if (!receipt) return;
    last.current = undefined;
    go(`/explorer/${receipt.experiment.slug}`);
  }, [items, mapped, go]);
}

const someAreHeld = () => uploads.current().items.some(({ phase }) => phase === 'held');

export function UploadPage() {
  useTitle('Upload');
  const [, go] = useLocation();
  const state = useUploads();
  const { mapped, looking } = useMapped(state.items);
  const receipts = receiptsOf(state.items);
  const listed = state.items.filter(({ key }) => key !== mapped?.key);
  const held = listed.filter(({ phase }) => phase === 'held');
  // a table that was opened first comes along and has yet to say where it goes; what is shown may lag behind by a moment
  const [asking, setAsking] = useState(someAreHeld);
  const says = useSaysKind(held);
  const over = usePageDrop(take);
  const tally = tallyOf(state.items);
  const slug = receipts.at(-1)?.experiment.slug;
  useRefreshAfter(tally.counts.stored);

  useOpened(state.items, mapped?.key, go);

  async function take(files: Iterable<File>) {
    await addFiles(files);
    setAsking(someAreHeld());
  }

  // A screen reader hears each refusal and the end, not every file.
  const trouble = tally.counts.refused + tally.counts.failed;
  const ended = tally.files > 0 && tally.settled;
  const said = ended
    ? `${tally.onDisk} of ${tally.files} files on disk. ${restInWords(tally)}`
    : trouble > 0
      ? `${trouble} refused or not sent so far`
      : '';

  const empty = listed.length === 0;
  return (
    <div className={`page upload ${over ? 'over' : ''}`}>
      <header className="lede">
        <h1>{mapped ? 'Your table, as Coalescope reads it' : 'Upload run logs and tables'}</h1>
        {mapped ? null : slug ? (
          <Into receipts={receipts} />
        ) : (
          <p>
            A table becomes a surface, a run log one more run of its experiment. A file that is refused is not kept, and
            does not stop the others. To look at a log first, <Link href="/open">open it without uploading</Link>.
          </p>
        )}
      </header>
      <p className="sr" role="status">
        {said}
      </p>
      {mapped && (
        <MappingView
          key={mapped.key}
          file={mapped.item.file}
          look={mapped.look}
          busy={mapped.item.phase === 'waiting' || mapped.item.phase === 'sending'}
          error={mapped.item.error}
          onSave={(destination) => uploads.directOne(mapped.key, destination)}
          onLeaveOut={() => uploads.leaveOut(mapped.key)}
        />
      )}
      <div className={empty ? '' : 'upcols'}>
        <div className="files">
          {!empty && <Totals state={state} />}
          {!empty && <FileList items={listed} onDirect={() => setAsking(true)} />}
          <DropZone over={over} first={empty && !mapped} onFiles={take} />
          {!mapped && <ToTry onFile={(file) => void take([file])} />}
        </div>
        {!empty && (
          <aside className="cover" aria-label="What the experiment has now">
            {slug && <CoverageGrid slug={slug} receipts={receipts} />}
          </aside>
        )}
      </div>
      {empty && !mapped && <Introduction />}
      <RecentUploads />
      {asking && held.length > 0 && says !== null && !looking && (
        <DestinationDialog
          files={held.map(({ file }) => file.name)}
          tables={held.some(({ csv }) => csv)}
          saysKind={says}
          onAnswer={(destination) => {
            uploads.direct(destination);
            setAsking(false);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
