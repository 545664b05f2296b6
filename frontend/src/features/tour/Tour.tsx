// SPDX-License-Identifier: Apache-2.0
// A short guided first visit. It waits until the page is of use, covers nothing that it speaks of, and stops nothing.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { currentQuery } from '../../state/url';
import { Steps } from './Steps';
import { firstVisit, markSeen, tour } from './visit';

/** The surface is drawn and the fit has come before anything is said about them. */
const SETTLED_MS = 1200;

export function Tour({ path }: { path: string }) {
  const { asked } = useSyncExternalStore(tour.subscribe, tour.get);
  const [first, setFirst] = useState(false);
  useEffect(() => {
    if (!firstVisit(path, currentQuery(), parent !== self)) return;
    const timer = setTimeout(() => {
      setFirst(true);
      markSeen();
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [path]);
  if (!(asked || first) || !path.startsWith('/explorer/')) return null;
  const end = () => {
    markSeen();
    setFirst(false);
    tour.set({ asked: false });
  };
  return <Steps key={String(asked)} asked={asked} onEnd={end} />;
}
