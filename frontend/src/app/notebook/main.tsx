// SPDX-License-Identifier: Apache-2.0
// The entry of the frame in a notebook. build/frame.ts makes one document of it.
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { type Copy, needsServer, readFrom } from '../../api/copy';
import { errorFrom } from '../../api/errors';
import { queries } from '../../api/queries';
import '../fonts.css';
import '../tokens.css';
import '../base.css';
import { markIdle } from '../../components/idle';
import { OnMounted } from '../../components/OnMounted';
import { takeTheme } from '../../components/theme';
import { startWork } from '../../state/pendingWork';
import { ErrorBoundary } from '../ErrorBoundary';
import { NotebookView } from './NotebookView';
import type { Notebook, NotebookFrame } from './notebook';

/** Python in the place of a server. */
const answersOf = ({ version, ask }: Notebook): Copy => ({
  of: 'file',
  logs: false,
  version,
  open: () => Promise.reject(needsServer()),
  async ask(request) {
    const { pathname } = new URL(request.url);
    const path = pathname.slice(pathname.indexOf('/api/') + '/api/'.length);
    const body = request.method === 'GET' ? {} : { body: await request.json() };
    const answer = await ask({ method: request.method, path, ...body });
    if (answer.status !== 200) throw errorFrom(answer.status, answer.body);
    return Response.json(answer.body);
  },
});

const host = document.getElementById('page');
const notebook = (frameElement as NotebookFrame | null)?.notebook;
if (!host || !notebook) throw new Error('This document belongs into a notebook.');
const follow = () => takeTheme(notebook.theme());
follow();
notebook.follow(follow);
const drawn = startWork();
markIdle(document.documentElement);
readFrom(answersOf(notebook));
new ResizeObserver(() => notebook.resize(document.body.getBoundingClientRect().height)).observe(document.body);
createRoot(host).render(
  <OnMounted over={drawn}>
    <QueryClientProvider client={queries}>
      <main className="embed notebook">
        <ErrorBoundary resetKey="">
          <NotebookView notebook={notebook} />
        </ErrorBoundary>
      </main>
    </QueryClientProvider>
  </OnMounted>,
);
