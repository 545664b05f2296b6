// SPDX-License-Identifier: Apache-2.0
// The entry of the page that is one file. build/offline.ts makes one document of it.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { fileCopy, readFrom } from '../../api/copy';
import '../fonts.css';
import '../tokens.css';
import '../base.css';
import { markIdle } from '../../components/idle';
import { OnMounted } from '../../components/OnMounted';
import { followSystem } from '../../components/theme';
import type { Kept } from '../../features/share/offline';
import { startWork } from '../../state/pendingWork';
import { startFrom } from '../../state/url';
import { Offline } from './Offline';

const host = document.getElementById('page');
const kept = JSON.parse(document.getElementById('kept')?.textContent ?? 'null') as Kept | null;
if (!host) throw new Error('The document has no element with the id "page".');
followSystem();
const drawn = startWork();
markIdle(document.documentElement);
if (kept) {
  readFrom(fileCopy(kept.version, kept.answers));
  startFrom(kept.query);
}
createRoot(host).render(
  <StrictMode>
    <OnMounted over={drawn}>{kept ? <Offline kept={kept} /> : <p>This file holds no view.</p>}</OnMounted>
  </StrictMode>,
);
