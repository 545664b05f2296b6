// SPDX-License-Identifier: Apache-2.0
// What stands in somebody else's page: a view, and nothing of the page around it. No link in here leads elsewhere within the frame.
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { Router, useLocation } from 'wouter';
import { base } from '../api/home';
import { queries } from '../api/queries';
import { answerToken, tokenQuestion } from '../api/token';
import { EmbedPage } from '../features/embed/EmbedPage';
import { ErrorBoundary } from './ErrorBoundary';

/** A token is asked for in the page itself, never in a frame that may be anybody's. */
function NoToken() {
  const asked = useSyncExternalStore(tokenQuestion.subscribe, tokenQuestion.isOpen);
  useEffect(() => {
    if (asked) answerToken(null);
  }, [asked]);
  return null;
}

function Shell() {
  const [path] = useLocation();
  return (
    <main className="embed">
      <ErrorBoundary resetKey={path}>
        <EmbedPage />
      </ErrorBoundary>
      <NoToken />
    </main>
  );
}

export function EmbedApp() {
  return (
    <QueryClientProvider client={queries}>
      <Router base={base}>
        <Shell />
      </Router>
    </QueryClientProvider>
  );
}
