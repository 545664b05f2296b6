// SPDX-License-Identifier: Apache-2.0
import { QueryClientProvider } from '@tanstack/react-query';
import { type RefObject, Suspense, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type AroundNavHandler, Router, useLocation } from 'wouter';
import { base } from '../api/home';
import { queries } from '../api/queries';
import { activeTerm, close, listenForDefinitions } from '../components/definition';
import { LoadingLine } from '../components/Loading';
import { TooltipsEnabled } from '../components/QuantityName';
import { currentPathname, followAddress } from '../state/address';
import { startWork } from '../state/pendingWork';
import { flushQuery } from '../state/url';
import { ErrorBoundary } from './ErrorBoundary';
import { Header } from './Header';
import { Routes } from './routes';
import { TokenPrompt } from './TokenPrompt';

const HELP_AFTER_MS = 500;

/** Loaded once the page is there, or with the first question. The page works without it. */
function useHelp(): typeof import('./Help') | null {
  const [help, setHelp] = useState<typeof import('./Help') | null>(null);
  // with the page, not after: one can ask as soon as it is seen
  useLayoutEffect(() => listenForDefinitions(document), []);
  const wanted = useSyncExternalStore(activeTerm.subscribe, () => activeTerm.get().now !== null);
  useEffect(() => {
    if (help) return;
    const done = startWork();
    const fetchHelp = () =>
      import('./Help')
        // one that does not come can be asked for again
        .then(setHelp, () => close())
        .finally(done);
    const timer = setTimeout(fetchHelp, wanted ? 0 : HELP_AFTER_MS);
    return () => {
      clearTimeout(timer);
      done();
    };
  }, [help, wanted]);
  return help;
}

/** A new page starts at its top, and the keyboard with it. Going back leaves the place to the browser. */
function useFreshStart(path: string, main: RefObject<HTMLElement | null>): void {
  const shown = useRef(path);
  // which page was gone back to: one may also go back within a page
  const back = useRef('');
  useEffect(
    () =>
      followAddress(() => {
        back.current = currentPathname();
      }),
    [],
  );
  useEffect(() => {
    if (path !== shown.current && back.current !== currentPathname()) {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    shown.current = path;
    back.current = '';
  }, [path, main]);
}

function Shell() {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  useFreshStart(path, main);
  const help = useHelp();
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads into the page; only the fragment is kept out of the address */}
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          // The address is the view; a fragment is no part of it.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <Header />
      {help && <help.Tour path={path} />}
      <main id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary resetKey={path}>
          <Suspense fallback={<LoadingLine />}>
            <Routes />
          </Suspense>
        </ErrorBoundary>
      </main>
      {help && <help.Foot path={path} />}
      <TokenPrompt />
    </>
  );
}

/** What a page still has to write goes into its own address, for readers who come back to it. */
const leave: AroundNavHandler = (navigate, to, options) => {
  flushQuery();
  navigate(to, options);
};

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router base={base} aroundNav={leave}>
        <TooltipsEnabled value={true}>
          <Shell />
        </TooltipsEnabled>
      </Router>
    </QueryClientProvider>
  );
}
