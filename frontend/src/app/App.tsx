// SPDX-License-Identifier: Apache-2.0
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useLocation } from 'wouter';
import { queries } from '../api/queries';
import { LoadingLine } from '../components/Loading';
import { ErrorBoundary } from './ErrorBoundary';
import { Header } from './Header';
import { Routes } from './routes';
import { TokenPrompt } from './TokenPrompt';

export function App() {
  const [path] = useLocation();
  return (
    <QueryClientProvider client={queries}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary resetKey={path}>
          <Suspense fallback={<LoadingLine />}>
            <Routes />
          </Suspense>
        </ErrorBoundary>
      </main>
      <TokenPrompt />
    </QueryClientProvider>
  );
}
