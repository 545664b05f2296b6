// SPDX-License-Identifier: Apache-2.0
// The place of the recommendation. Its code and its request come when the rest is drawn.
import { useEffect, useState } from 'react';
import { lazyPart } from '../../components/lazyPart';
import { startWork } from '../../state/pendingWork';
import type { WhatToSetProps } from './WhatToSet';

const EMPTY = (
  <header className="advicehead">
    <div className="whose">
      <h2>What to set</h2>
    </div>
  </header>
);

const WhatToSet = lazyPart('The recommendation', async () => (await import('./WhatToSet')).WhatToSet, EMPTY);

const SOON_MS = 3000;

/** Calls back when the browser has nothing better to do. */
function whenIdle(then: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const asked = requestIdleCallback(then, { timeout: SOON_MS });
    return () => cancelIdleCallback(asked);
  }
  const timer = setTimeout(then, 300);
  return () => clearTimeout(timer);
}

/** Once `ready`, and the browser idle: true, for good. Far below the screen too: who prints the page waits for no request. */
function useWanted(ready: boolean): boolean {
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (!ready || wanted) return;
    const done = startWork();
    const leave = whenIdle(() => {
      setWanted(true);
      done();
    });
    return () => {
      leave();
      done();
    };
  }, [ready, wanted]);
  return wanted;
}

/** The room that the recommendation takes, before anything is known. */
export const Awaited = () => <section className="advice">{EMPTY}</section>;

export function Recommend({ ready, ...rest }: WhatToSetProps & { ready: boolean }) {
  const wanted = useWanted(ready);
  return (
    <section className="advice" aria-label="Recommendation">
      {wanted ? <WhatToSet {...rest} /> : EMPTY}
    </section>
  );
}
