// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { useQuantities } from '../../api/queries';
import { CopyButton } from '../../components/Copy';
import { inWords } from '../../components/factorWords';
import { Icon, type IconName } from '../../components/Icon';
import { FaultTable } from './FaultTable';
import type { Item } from './queue';
import { damageAt, detailsText, factsOf, rowsOf } from './refusal';
import { isPartial, type Look, lookOf, size, sizeOf } from './tally';

const ICONS: Record<Look, IconName> = {
  ok: 'ok',
  partial: 'cut',
  known: 'same',
  bad: 'bad',
  sending: 'wait',
  waiting: 'wait',
};

function stateWord(item: Item): string {
  if (item.phase === 'stored') return isPartial(item) ? 'on disk, partial' : 'on disk';
  if (item.phase === 'failed') return 'not sent';
  if (item.phase === 'sending' && item.sent >= item.file.size) return 'checking';
  return item.phase === 'held' ? 'needs experiment' : item.phase;
}

const STRIP = 60;

/** The file as a strip of sixty parts, the damaged one standing out. */
function DamageStrip({ at }: { at: number }) {
  const bad = Math.min(STRIP - 1, Math.floor(at * STRIP));
  return (
    <svg
      className="blocks"
      viewBox={`0 0 ${STRIP * 10} 14`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Damaged at ${Math.round(at * 100)} % of the file`}
    >
      {Array.from({ length: STRIP }, (_, i) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
          key={i}
          x={i * 10}
          y={i === bad ? 0 : 3}
          width={9}
          height={i === bad ? 14 : 8}
          className={i < bad ? 'whole' : i === bad ? 'bad' : 'after'}
        />
      ))}
    </svg>
  );
}

function Refusal({ item, onReplace, onAgain, onLeaveOut, onDirect }: { item: Item } & RowActions) {
  const chooser = useRef<HTMLInputElement>(null);
  const { error, file } = item;
  if (!error) return null;
  const rows = rowsOf(error);
  const at = damageAt(error, file.size);
  return (
    <>
      <p className="msg bad">
        {item.phase === 'refused' ? 'Refused: ' : ''}
        {rows.length ? `${rows.length} errors. No rows were saved.` : error.message}
      </p>
      {at !== null && !item.csv && <DamageStrip at={at} />}
      {rows.length > 0 ? (
        <FaultTable rows={rows} />
      ) : (
        <>
          <dl className="facts">
            {factsOf(error).map(({ term, value }) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {error.advice && <p className="msg">{error.advice}</p>}
        </>
      )}
      <p className="acts">
        {error.code === 'no_experiment' && (
          <button type="button" className="inline" onClick={onDirect}>
            Choose experiment
          </button>
        )}
        {item.phase === 'failed' ? (
          <button type="button" className="inline" onClick={onAgain}>
            Send again
          </button>
        ) : (
          <button type="button" className="inline" onClick={() => chooser.current?.click()}>
            Choose the file again
          </button>
        )}
        <CopyButton label="Copy details" text={detailsText(file.name, file.size, error)} />
        <button type="button" className="inline" onClick={onLeaveOut}>
          Remove
        </button>
        <input
          ref={chooser}
          type="file"
          hidden
          onChange={(event) => event.currentTarget.files?.[0] && onReplace(event.currentTarget.files[0])}
        />
      </p>
    </>
  );
}

function Outcome({ item }: { item: Item }): ReactNode {
  const { receipt } = item;
  if (!receipt) return null;
  const first = receipt.runs[0];
  return (
    <>
      {receipt.outcome === 'known' && (
        <p className="msg">
          Already here{receipt.warnings.some(({ code }) => code === 'superseded') ? '' : ', byte for byte'}
          {first && (
            <>
              , as <Link href={`/runs/${first.id}`}>{first.replicate ? `replicate ${first.replicate}` : 'a run'}</Link>
            </>
          )}
          . Nothing was added.
        </p>
      )}
      {receipt.warnings.map(({ code, message }) => (
        <p className="msg warn" key={`${code} ${message}`}>
          {message}
          {isPartial(item) && code === receipt.warnings[0].code && ' The run is marked partial.'}
        </p>
      ))}
    </>
  );
}

function Subtitle({ item }: { item: Item }): ReactNode {
  const quantities = useQuantities();
  const { receipt } = item;
  if (!receipt) return item.csv && item.destination ? `into ${item.destination.experiment}` : null;
  if (receipt.content === 'csv')
    return `${receipt.run_count} ${receipt.run_count === 1 ? 'row' : 'rows'} into ${receipt.experiment.title}`;
  const first = receipt.runs[0];
  if (!first) return receipt.experiment.title;
  return <Link href={`/runs/${first.id}`}>{inWords(first.factors, first.replicate, quantities.data)}</Link>;
}

interface RowActions {
  onReplace: (file: File) => void;
  onAgain: () => void;
  onLeaveOut: () => void;
  onDirect: () => void;
}

/** One file: what it is, how far it is, what became of it, and what can be done. */
export function FileRow({ item, ...actions }: { item: Item } & RowActions) {
  const look = lookOf(item);
  const { file, phase, sent } = item;
  const percent = Math.round((100 * sent) / Math.max(1, file.size));
  return (
    <li className={look === 'waiting' && phase !== 'held' ? 'wait' : undefined}>
      <Icon name={ICONS[look]} className={look} />
      <div>
        <b>{file.name}</b>
        <small>
          <Subtitle item={item} />
        </small>
        {phase === 'sending' && (
          <div
            className="meter"
            role="progressbar"
            aria-label={file.name}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <i style={{ width: `${percent}%` }} />
          </div>
        )}
        {phase === 'held' && (
          <p className="acts">
            <button type="button" className="inline" onClick={actions.onDirect}>
              Choose experiment
            </button>
            <button type="button" className="inline" onClick={actions.onLeaveOut}>
              Remove
            </button>
          </p>
        )}
        <Refusal item={item} {...actions} />
        <Outcome item={item} />
      </div>
      <span className="size">{phase === 'sending' ? sizeOf(sent, file.size) : size(file.size)}</span>
      <span className={`st ${look === 'bad' ? 'bad' : ''}`}>{stateWord(item)}</span>
    </li>
  );
}
