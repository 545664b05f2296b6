// SPDX-License-Identifier: Apache-2.0
// One view in one file: what it is, and the instrument itself. Its links lead to where it came from.
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { queries } from '../../api/queries';
import { Kind } from '../../components/Kind';
import { ExplorerPage } from '../../features/explorer/ExplorerPage';
import { ModelPage } from '../../features/models/ModelPage';
import { ExportMenu } from '../../features/share/ExportMenu';
import type { Kept } from '../../features/share/offline';
import { leaveFor } from '../../state/address';
import { ErrorBoundary } from '../ErrorBoundary';
import { ThemeButton } from '../Header';
import './offline.css';

function Banner({ kept }: { kept: Kept }) {
  const { title, source, exported_at, version, original } = kept;
  const day = new Date(exported_at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return (
    <header className="offline-bar">
      <p>
        <b>{title}</b> {source && <Kind kind={source.kind} />}
        {source?.citation && <span>{source.citation}</span>}
        {source?.licence && <span>{source.licence}</span>}
        <span>
          Offline page of <time dateTime={exported_at}>{day}</time>, Coalescope {version}
        </span>
        <a href={original} rel="noreferrer">
          The original
        </a>
      </p>
      <div className="tools">
        <ExportMenu />
        <ThemeButton />
      </div>
    </header>
  );
}

/** An address of the page, where the file came from. */
const there = (kept: Kept, path: string): string => new URL(path.replace(/^\//, ''), kept.home).href;

function View({ path }: { path: string }) {
  const [, kind, name] = /^\/(explorer|models)\/([^/]+)$/.exec(path) ?? [];
  if (kind === 'explorer') return <ExplorerPage slug={decodeURIComponent(name)} />;
  if (kind === 'models') return <ModelPage id={decodeURIComponent(name)} />;
  return <p className="page">This file holds no view.</p>;
}

export function Offline({ kept }: { kept: Kept }) {
  const stays = (): [string, (to: string) => void] => [kept.path, (to) => leaveFor(there(kept, to))];
  return (
    <QueryClientProvider client={queries}>
      <Router hook={stays} searchHook={() => ''} hrefs={(href) => there(kept, href)}>
        <Banner kept={kept} />
        <main id="main">
          <ErrorBoundary resetKey="">
            <View path={kept.path} />
          </ErrorBoundary>
        </main>
      </Router>
    </QueryClientProvider>
  );
}
