// SPDX-License-Identifier: Apache-2.0
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './fonts.css';
import './tokens.css';
import './base.css';
import { followSystem } from '../components/theme';
import { App } from './App';

const host = document.getElementById('page');
if (!host) throw new Error('index.html has no element with the id "page".');
followSystem();
createRoot(host).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
