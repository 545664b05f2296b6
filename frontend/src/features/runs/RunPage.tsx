// SPDX-License-Identifier: Apache-2.0

import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { file } from '../../api/client';
import { useContents } from '../../api/comparisons';
import { currentCopy, tryAgain } from '../../api/copy';
import { isMissing, reasonOf } from '../../api/errors';
import { useExperiment, useQuantities, useRun } from '../../api/queries';
import type { Quantity, RunDetail, RunEvent } from '../../api/types';
import { useSaid } from '../../components/copy';
import { inWords, labelOf, levelInWords } from '../../components/factorWords';
import { Icon } from '../../components/Icon';
import { Kind } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { useTitle } from '../../components/title';
import { definitionOf } from '../../engine/definitions';
import { save } from '../share/save';
import { type Change, ChangeDialog } from './ChangeDialog';
import { HeaderTree } from './HeaderTree';
import { LogContents } from './LogContents';
import { Neighbours } from './Neighbours';
import {
  changesOf,
  dilationOf,
  isLog,
  measuresOf,
  moment,
  number,
  originOf,
  plain,
  settingsOf,
  sourcesOf,
} from './words';
import './runs.css';

type Quantities = readonly Quantity[] | undefined;

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="sec">{title}</h2>
      {children}
    </section>
  );
}

const unitOf = (name: string, quantities: Quantities) =>
  quantities?.find((quantity) => quantity.name === name)?.unit ?? '';

function Settings({ run, quantities }: { run: RunDetail; quantities: Quantities }) {
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">Factor</th>
          <th scope="col" className="n">
            Requested
          </th>
          <th scope="col" className="n">
            Level used
          </th>
          <th scope="col">Unit</th>
        </tr>
      </thead>
      <tbody>
        {settingsOf(run.factors, run.requested).map(({ name, requested, counts }) => {
          const differs = requested !== null && counts !== null && requested !== counts;
          return (
            <tr key={name}>
              <th scope="row">
                <QuantityName name={name}>{labelOf(name, quantities)}</QuantityName>
              </th>
              <td className="n">{requested === null ? '–' : levelInWords(requested)}</td>
              <td className={`n value ${differs ? 'differs' : ''}`}>
                {counts === null ? '–' : levelInWords(counts)}
                {differs && <small> not as requested</small>}
              </td>
              <td>{unitOf(name, quantities)}</td>
            </tr>
          );
        })}
        <tr>
          <th scope="row">Replicate</th>
          <td className="n" />
          <td className="n value">{plain(run.replicate)}</td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}

function Measures({ run, quantities }: { run: RunDetail; quantities: Quantities }) {
  const names = measuresOf(run, quantities);
  if (!names.length) return <p>None could be made from this run.</p>;
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">Measure</th>
          <th scope="col" className="n">
            Value
          </th>
          <th scope="col">Unit</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const { value, sd, n } = run.measures[name] ?? { value: null, sd: null, n: 0 };
          return (
            <tr key={name}>
              <th scope="row">
                <QuantityName name={name}>{labelOf(name, quantities)}</QuantityName>
              </th>
              <td className="n value">
                {value === null ? <small>not available</small> : number(value)}
                {n > 1 && (
                  <small>
                    {' '}
                    mean of {n}
                    {sd !== null && `, sd ${number(sd)}`}
                  </small>
                )}
              </td>
              <td>{value !== null && unitOf(name, quantities)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Facts are words of the page, or the names that a log gives them; some of these are quantities. */
const wordsOf = (term: string): string => term.replaceAll('_', ' ');

function Facts({ entries }: { entries: readonly (readonly [string, ReactNode])[] }) {
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

function Sources({ run }: { run: RunDetail }) {
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

function History({ events, quantities }: { events: readonly RunEvent[]; quantities: Quantities }) {
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

function Download({ run }: { run: RunDetail }) {
  const [said, say] = useSaid();
  const [failed, setFailed] = useState<string | null>(null);
  if (!isLog(run) || currentCopy()?.logs === false) return null;
  async function download() {
    try {
      setFailed(null);
      const log = await file(`/api/runs/${encodeURIComponent(run.id)}/log`);
      save(await log.blob(), run.filename ?? `${run.id}.runlog`);
      say('Saved');
    } catch (error) {
      setFailed(reasonOf(error));
    }
  }
  return (
    <>
      <button type="button" className="quiet" onClick={download}>
        <Icon name="export" />
        <span aria-live="polite">{said ?? 'Download the log'}</span>
      </button>
      {failed && (
        <span className="refused" role="alert">
          Not saved: {failed}
        </span>
      )}
    </>
  );
}

function Heading({
  run,
  quantities,
  onChange,
}: {
  run: RunDetail;
  quantities: Quantities;
  onChange: (change: Change) => void;
}) {
  const experiment = useExperiment(run.experiment);
  const retracted = run.status === 'retracted';
  return (
    <>
      <header className="lede">
        <h1>{inWords(run.factors, run.replicate, quantities) || 'Run'}</h1>
        <p>
          A run of <Link href={`/explorer/${run.experiment}`}>{experiment.data?.title ?? run.experiment}</Link>{' '}
          {experiment.data && <Kind kind={experiment.data.kind} />}
        </p>
      </header>
      <div className="run-acts">
        <Download run={run} />
        <Link className="quiet" href={`/experiments/${run.experiment}/runs`}>
          All runs
        </Link>
        {!retracted && currentCopy() === null && (
          <Link className="quiet" href={`/explorer/${run.experiment}?without=${encodeURIComponent(run.id)}`}>
            Explore without it
          </Link>
        )}
        {currentCopy() === null && (
          <span className="changes">
            <button type="button" className="quiet" onClick={() => onChange('correction')}>
              Correct
            </button>
            <button type="button" className="quiet" onClick={() => onChange(retracted ? 'restoration' : 'retraction')}>
              {retracted ? 'Restore' : 'Retract'}
            </button>
          </span>
        )}
      </div>
    </>
  );
}

function Remarks({ run }: { run: RunDetail }) {
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
        <Notice tone="warn" title="Partial: the log was cut off">
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

const POINTS = 400;

function OverTime({ run, name }: { run: RunDetail; name: string }) {
  const contents = useContents(run.id, POINTS, isLog(run));
  if (!isLog(run)) return null;
  if (contents.data) return <LogContents name={name} contents={contents.data} />;
  if (contents.isError)
    return (
      <Notice
        tone="bad"
        title="The log’s contents did not arrive"
        {...tryAgain(contents.error, () => contents.refetch())}
      >
        {reasonOf(contents.error)}
      </Notice>
    );
  return (
    <div className="contents-wait">
      <LoadingLine label="Reading the log" />
    </div>
  );
}

function Detail({ run }: { run: RunDetail }) {
  const quantities = useQuantities().data;
  const [change, setChange] = useState<Change | null>(null);
  useTitle(inWords(run.factors, run.replicate, quantities) || 'Run');
  const environment = Object.entries(run.environment ?? {});
  const interval = run.header?.interval_ns;
  const dilation = dilationOf(run.header);
  return (
    <>
      <Heading run={run} quantities={quantities} onChange={setChange} />
      <Remarks run={run} />
      <div className="run-cols">
        <Section title="Measures">
          <Measures run={run} quantities={quantities} />
        </Section>
        <div>
          <Section title="Settings">
            <Settings run={run} quantities={quantities} />
          </Section>
          <Section title="Sources">
            <Sources run={run} />
          </Section>
          <Section title="Identity">
            <Facts
              entries={[
                ['From', originOf(run)],
                ['Recorded', moment(run.recorded_at)],
                ['Stored', moment(run.created_at)],
                ...(typeof interval === 'number'
                  ? [
                      [
                        'Sampled every',
                        `${number(interval / 1e6)} ms${dilation === null ? '' : ' of its own time'}`,
                      ] as const,
                    ]
                  : []),
                ...(dilation === null ? [] : [['Time dilation', `${number(dilation)} times slower`] as const]),
                ['Run', <code key="run">{run.id}</code>],
                ...(run.sha256 ? [['SHA-256', <code key="sha">{run.sha256}</code>] as const] : []),
              ]}
            />
          </Section>
          <Section title="History">
            <History events={run.history} quantities={quantities} />
          </Section>
        </div>
      </div>
      <Neighbours run={run} />
      <div className="log-contents">
        <OverTime run={run} name={inWords(run.factors, run.replicate, quantities) || 'Run'} />
      </div>
      <Section title="Environment">
        {environment.length ? (
          <Facts entries={environment.map(([name, value]) => [name, plain(value)] as const)} />
        ) : (
          <p>Not recorded.</p>
        )}
      </Section>
      {run.header && (
        <Section title="The log’s whole header">
          <HeaderTree header={run.header} />
        </Section>
      )}
      {change && <ChangeDialog run={run} change={change} onClose={() => setChange(null)} />}
    </>
  );
}

/** One run: what was set, what came out, how it was read, and what was done to it since. */
export function RunPage({ id }: { id: string }) {
  const run = useRun(id);
  const missing = isMissing(run.error);
  return (
    <div className="page run">
      {run.isPending && <LoadingLine label="Loading the run" />}
      {missing && (
        <header className="lede">
          <h1>There is no such run here</h1>
          <p>
            Runs are kept by the server that took them in. Start from the <Link href="/">experiments</Link>.
          </p>
        </header>
      )}
      {run.isError && !missing && (
        <Notice tone="bad" title="The run did not arrive" {...tryAgain(run.error, () => run.refetch())}>
          {reasonOf(run.error)} {run.data && 'What was on the page is still there.'}
        </Notice>
      )}
      {run.data && <Detail run={run.data} />}
    </div>
  );
}
