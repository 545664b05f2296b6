// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'react';
import { startWork } from '../state/pendingWork';

const SAID_MS = 1600;

/** Puts text on the clipboard. False where the browser does not let the page (plain http beyond this machine). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A word that stands in for a label for a moment: "Copied". */
export function useSaid(): [string | null, (word: string) => void] {
  const [said, setSaid] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const over = useRef((): void => undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      over.current();
    },
    [],
  );
  return [
    said,
    (word) => {
      clearTimeout(timer.current);
      setSaid(word);
      over.current();
      over.current = startWork();
      timer.current = setTimeout(() => {
        setSaid(null);
        over.current();
      }, SAID_MS);
    },
  ];
}
