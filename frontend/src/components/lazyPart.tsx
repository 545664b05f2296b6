// SPDX-License-Identifier: Apache-2.0
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { startWork } from '../state/pendingWork';
import { Notice } from './Notice';

/**
 * A part of a page whose code comes when it is first drawn. If it does not come, it says so in its place and can be asked for again;
 * the rest of the page goes on working.
 */
export function lazyPart<P extends object>(
  name: string,
  fetchPart: () => Promise<ComponentType<P>>,
  meanwhile: ReactNode = null,
): (props: P) => ReactNode {
  let Loaded: ComponentType<P> | null = null;
  return function Part(props: P) {
    const [state, setState] = useState<'coming' | 'here' | 'missing'>('coming');
    useEffect(() => {
      if (Loaded || state !== 'coming') return;
      let left = false;
      const done = startWork();
      fetchPart()
        .then(
          (fetched) => {
            Loaded = fetched;
            if (!left) setState('here');
          },
          () => {
            if (!left) setState('missing');
          },
        )
        .finally(done);
      return () => {
        left = true;
      };
    }, [state]);
    if (Loaded) return <Loaded {...props} />;
    if (state !== 'missing') return meanwhile;
    return (
      <Notice
        tone="warn"
        title={`${name} did not load`}
        action={{ label: 'Try again', onClick: () => setState('coming') }}
      >
        The server does not answer, or has a newer page.
      </Notice>
    );
  };
}
