// SPDX-License-Identifier: Apache-2.0
// How a run was recorded and read, and what was done to it since.
import type { ReactNode } from 'react';
import { useQuantities } from '../../api/queries';
import type { RunDetail, RunEvent } from '../../api/types';
import { labelOf } from '../../components/factorWords';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { definitionOf } from '../../engine/definitions';
import { changesOf, dilationOf, moment, number, originOf, sourcesOf } from './messages';

/** Facts are words of the page, or the names that a log gives them; some of these are quantities. */
const wordsOf = (term: string): string => term.replaceAll('_', ' ');

export function Facts({ entries }: { entries: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="pairs">
      {entries.map(([term, value]) => (
        <div key={term}>
          <dt>{definitionOf(term) ? <QuantityName name={term}>{wordsOf(term)}</QuantityName> : wordsOf(term)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where it is from, when and how it was recorded, and what names it for ever. */
export function Identity({ run }: { run: RunDetail }) {
  const interval = run.header?.interval_ns;
  const dilation = dilationOf(run.header);
  return (
    <Facts
      entries={[
        ['From', originOf(run)],
        ['Recorded', moment(run.recorded_at)],
        ['Stored', moment(run.created_at)],
        ...(typeof interval === 'number'
          ? [['Sampled every', `${number(interval / 1e6)} ms${dilation === null ? '' : ' of its own time'}`] as const]
          : []),
        ...(dilation === null ? [] : [['Time dilation', `${number(dilation)} times slower`] as const]),
        ['Run', <code key="run">{run.id}</code>],
        ...(run.sha256 ? [['SHA-256', <code key="sha">{run.sha256}</code>] as const] : []),
      ]}
    />
  );
}

export function Sources({ run }: { run: RunDetail }) {
  const sources = sourcesOf(run.header);
  if (!sources.length) return <p>The row names none.</p>;
  return (
    <ul className="sources">
      {sources.map(({ name, atomic, description }) => (
        <li key={name}>
          <b>{name}</b> {atomic ? 'all counters of one instant' : 'counters read one after another, not at one instant'}
          {description && <small>{description}</small>}
        </li>
      ))}
    </ul>
  );
}

export function History({ events }: { events: readonly RunEvent[] }) {
  const quantities = useQuantities().data;
  return (
    <ol className="history">
      {events.map((event) => (
        <li key={`${event.at} ${event.action}`}>
          <time dateTime={event.at}>{moment(event.at)}</time>
          <div>
            <b>{event.action}</b> {event.reason}
            {event.action === 'corrected' &&
              changesOf(event).map(({ name, from, to }) => (
                <small key={name}>
                  {labelOf(name, quantities)} {from} → {to}
                </small>
              ))}
          </div>
        </li>
      ))}
    </ol>
  );
}

export function Remarks({ run }: { run: RunDetail }) {
  const dilation = dilationOf(run.header);
  const retraction = run.history.findLast(({ action }) => action === 'retracted');
  return (
    <div className="remarks">
      {run.status === 'retracted' && (
        <Notice tone="bad" title="Retracted: it does not count in its cell">
          {retraction?.reason}
        </Notice>
      )}
      {run.partial && (
        <Notice tone="warn" title="Partial: the log is truncated">
          What stands before its last whole block was kept and measured.
        </Notice>
      )}
      {dilation !== null && (
        <Notice tone="plain" title={`Time dilated by ${number(dilation)}`}>
          The clocks of this log ran that many times slower than those of the system it stands for. Measures here are in
          the time of that system.
        </Notice>
      )}
      {run.warnings.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} tone="warn" title={message} />
      ))}
    </div>
  );
}
