// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';
import { Link } from 'wouter';
import { useContents } from '../../api/comparisons';
import { tryAgain } from '../../api/copy';
import { isMissing, reasonOf } from '../../api/errors';
import { useQuantities, useRun } from '../../api/queries';
import type { RunDetail } from '../../api/types';
import { inWords } from '../../components/factorWords';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import { type Change, ChangeDialog } from './ChangeDialog';
import { HeaderTree } from './HeaderTree';
import { LogContents } from './LogContents';
import { isLog, plain } from './messages';
import { Neighbours } from './Neighbours';
import { Heading } from './RunHeading';
import { Facts, History, Identity, Remarks, Sources } from './RunRecord';
import { Measures, Settings } from './RunTables';
import './runs.css';

const POINTS = 400;

function OverTime({ run, name }: { run: RunDetail; name: string }) {
  const contents = useContents(run.id, POINTS, isLog(run));
  if (!isLog(run)) return null;
  if (contents.data) return <LogContents name={name} contents={contents.data} />;
  if (contents.isError)
    return (
      <Notice
        tone="bad"
        title="Couldn’t load the log’s contents"
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
  const name = inWords(run.factors, run.replicate, quantities) || 'Run';
  useTitle(name);
  const environment = Object.entries(run.environment ?? {});
  return (
    <>
      <Heading run={run} onChange={setChange} />
      <Remarks run={run} />
      <div className="run-cols">
        <Section title="Measures">
          <Measures run={run} />
        </Section>
        <div>
          <Section title="Settings">
            <Settings run={run} />
          </Section>
          <Section title="Sources">
            <Sources run={run} />
          </Section>
          <Section title="Identity">
            <Identity run={run} />
          </Section>
          <Section title="History">
            <History events={run.history} />
          </Section>
        </div>
      </div>
      <Neighbours run={run} />
      <div className="log-contents">
        <OverTime run={run} name={name} />
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
        <Notice tone="bad" title="Couldn’t load the run" {...tryAgain(run.error, () => run.refetch())}>
          {reasonOf(run.error)} {run.data && 'What was on the page is still there.'}
        </Notice>
      )}
      {run.data && <Detail run={run.data} />}
    </div>
  );
}
