// SPDX-License-Identifier: Apache-2.0
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { currentCopy, readFrom } from '../api/copy';
import { base } from '../api/home';
import './fonts.css';
import './tokens.css';
import './base.css';
import { markIdle } from '../components/idle';
import { OnMounted } from '../components/OnMounted';
import { followSystem } from '../components/theme';
import { currentPath, withoutSlash } from '../state/address';
import { isEmbed } from '../state/embed';
import { startWork } from '../state/pendingWork';
import { App } from './App';
import { lazyPage } from './lazyPage';
import { EmbedApp, prefetchPage } from './routes';

const host = document.getElementById('page');
if (!host) throw new Error('index.html has no element with the id "page".');
followSystem();
const drawn = startWork();
markIdle(document.documentElement);
const copy = currentCopy();
if (copy) readFrom({ ...copy, workOut: async (...asked) => (await import('../engine/files')).workOut(...asked) });
// named from here, before the address changes: a copy's documents name their files by relative ways
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) icon.setAttribute('href', icon.href);
// a host of files serves an address from its folder
withoutSlash(base);
const root = createRoot(host);
const Framed = lazyPage(async () => (await import('./Framed')).Framed);
// a server's page changes what the server holds: nobody is to press its buttons unseen. A copy changes nothing
const framed = copy === null && top !== self;
const path = currentPath().slice(base.length).split(/[?#]/)[0];
prefetchPage(path).then(() => {
  root.render(
    <StrictMode>
      <OnMounted over={drawn}>{isEmbed(path) ? <EmbedApp /> : framed ? <Framed /> : <App />}</OnMounted>
    </StrictMode>,
  );
});
