// SPDX-License-Identifier: Apache-2.0
import { type ComponentType, lazy } from 'react';
import { startWork } from '../state/pendingWork';

export interface Page<P> {
  (props: P): React.ReactNode;
  /** Fetches the page's code; afterwards it renders at once. */
  load(): Promise<void>;
}

/**
 * A page whose code comes when it is asked for. React shows a fallback for 300 ms at least once it shows one, so the page that the
 * address names is loaded before the first render, not during it.
 */
export function lazyPage<P extends object>(code: () => Promise<ComponentType<P>>): Page<P> {
  const fetchPage = () => {
    const done = startWork();
    return code().finally(done);
  };
  let Loaded: ComponentType<P> | null = null;
  const Lazy = lazy(async () => ({ default: await fetchPage() })) as unknown as ComponentType<P>;
  function Shown(props: P) {
    return Loaded ? <Loaded {...props} /> : <Lazy {...props} />;
  }
  return Object.assign(Shown, {
    async load() {
      Loaded = await fetchPage();
    },
  });
}
