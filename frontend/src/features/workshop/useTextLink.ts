// SPDX-License-Identifier: Apache-2.0
// The text in the editor goes into the address, once its writer pauses.
import { useCallback, useEffect, useRef, useState } from 'react';
import { replaceFragment } from '../../state/address';
import { startWork } from '../../state/pendingWork';
import { toFragment } from '../../state/sourceLink';

const PAUSE_MS = 300;

export interface TextLink {
  /** The text was too long for a link when it was written last. */
  readonly tooLong: boolean;
  /** The text has changed. */
  changed(): void;
  /** What is not in the address yet does not come there any more: another text was asked for. */
  stop(): void;
  /** Another text is opened: what was typed before it, also while it came, stays out of its address. */
  reset(): void;
}

/** `current`: the text in the editor; undefined where there is none. */
export function useTextLink(current: () => string | undefined): TextLink {
  const [tooLong, setTooLong] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const over = useRef((): void => undefined);
  const writes = useRef(0);
  const stop = useCallback(() => {
    writes.current += 1;
    clearTimeout(timer.current);
    over.current();
  }, []);
  const reset = useCallback(() => {
    stop();
    setTooLong(false);
  }, [stop]);
  useEffect(() => stop, [stop]);
  async function write(own: number) {
    const text = current();
    if (text === undefined) return;
    const fragment = await toFragment(text);
    // written on, another text asked for, or the page left meanwhile
    if (writes.current !== own) return;
    setTooLong(fragment === null);
    replaceFragment(fragment ?? '');
  }
  function changed() {
    stop();
    const done = startWork();
    over.current = done;
    const own = writes.current;
    timer.current = setTimeout(() => write(own).finally(done), PAUSE_MS);
  }
  return { tooLong, changed, stop, reset };
}
