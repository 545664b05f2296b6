// SPDX-License-Identifier: Apache-2.0
// The first ten seconds: what one gains, a surface that can be dragged, and three ways on.
import { memo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { currentCopy } from '../../api/copy';
import type { ExperimentSummary } from '../../api/types';
import { Icon } from '../../components/Icon';
import { Kind } from '../../components/Kind';
import { usePageDrop } from '../upload/usePageDrop';
import { Showpiece } from './Showpiece';
import { STUDY } from './study';
import './home.css';

function Way({ href, title, children }: { href: string; title: string; children: string }) {
  return (
    <Link href={href}>
      <b>{title}</b>
      <span>{children}</span>
      <Icon name="down" small />
    </Link>
  );
}

/** A file that is dropped here is what the upload page begins with. */
function useDropToUpload(): boolean {
  const [, navigate] = useLocation();
  return usePageDrop((files) => {
    navigate('/upload');
    void import('../upload/session').then(({ addFiles }) => addFiles(files));
  });
}

function WithMyData() {
  const over = useDropToUpload();
  return (
    <Way href="/upload" title="Try it with my data">
      {over ? 'Drop it here' : 'Drop a table or a run log, and see it as a surface'}
    </Way>
  );
}

function Ways({ study }: { study: ExperimentSummary | undefined }) {
  const copy = currentCopy() !== null;
  return (
    <nav className="begin" aria-label="Where to begin">
      {study ? (
        <Way href={`/explorer/${study.slug}`} title="Look at a published study">
          {`${study.title}: ${study.cells} settings, the model, what to set`}
        </Way>
      ) : (
        <Way href="/figures" title="Look at published studies">
          The figures of five papers, redrawn beside the models
        </Way>
      )}
      {copy ? (
        <Way href="/open" title="Try it with my data">
          Open a table or a run log, and see it as a surface
        </Way>
      ) : (
        <WithMyData />
      )}
      <Way href="/start" title="Measure my machine">
        One command sweeps an interface, and puts everything back
      </Way>
    </nav>
  );
}

/** `experiments`: undefined until they are known. What comes for the list below does not draw the surface again. */
export const Opening = memo(function Opening(props: { experiments: readonly ExperimentSummary[] | undefined }) {
  const { experiments } = props;
  const [words, setWords] = useState<HTMLElement | null>(null);
  const study = experiments?.find(({ slug }) => slug === STUDY.slug);
  const withStudy = study !== undefined || experiments === undefined;
  return (
    <section className={withStudy ? 'opening' : 'opening alone'} aria-labelledby="opening">
      <header>
        <h1 id="opening">{withStudy ? STUDY.promise : 'Which MTU and interrupt delay cost the least CPU?'}</h1>
        <p>
          Two settings of a network interface decide how often it interrupts the CPU: the MTU and the interrupt delay.
          Coalescope measures both on a Linux host, explains the cost, and names the setting to use, with what it costs
          in throughput and latency.
        </p>
      </header>
      {withStudy && (
        <>
          <div className="showngain">
            <div ref={setWords} className="words" />
            <p className="note showncaution">{STUDY.caution}</p>
          </div>
          <div className="showpiece">
            {study && (
              <>
                <p className="note">
                  {study.title}, {study.source_note} <Kind kind={study.kind} />
                </p>
                {words && <Showpiece slug={study.slug} query={STUDY.query} words={words} />}
              </>
            )}
          </div>
        </>
      )}
      <Ways study={study} />
    </section>
  );
});
