// SPDX-License-Identifier: Apache-2.0
// What the page on the screen can hand out. The explorer registers it, the header's Export menu offers it.
import { useEffect, useRef, useSyncExternalStore } from 'react';

export interface FigureExport {
  /** Names the files, without an extension. */
  title: string;
  /** The figure as SVG text, with title, units, kind, source and link inside; as PNG, too. */
  svg?: () => string | Promise<string>;
  csvHref?: string;
  jsonHref?: string;
  /** The figure's own numbers, instead of what the server keeps. */
  csv?: () => string | Promise<string>;
  json?: () => string | Promise<string>;
  /** The whole view as one HTML file. */
  offline?: () => Promise<Blob>;
}

let offered: FigureExport | null = null;
const listeners = new Set<() => void>();

function offer(next: FigureExport | null): void {
  offered = next;
  for (const tell of listeners) tell();
}

/** Offers the figure on the screen for export while the calling component is there. */
export function useFigureExport(figure: FigureExport | null): void {
  const latest = useRef(figure);
  latest.current = figure;
  const key =
    figure &&
    [figure.title, figure.csvHref, figure.jsonHref, !!figure.svg, !!figure.csv, !!figure.json, !!figure.offline].join(
      '\n',
    );
  useEffect(() => {
    if (key === null) return;
    // The functions are looked up when called: a new closure on every render registers nothing again.
    const now = latest.current as FigureExport;
    const mine: FigureExport = {
      ...now,
      svg: now.svg && (() => latest.current?.svg?.() ?? ''),
      csv: now.csv && (() => latest.current?.csv?.() ?? ''),
      json: now.json && (() => latest.current?.json?.() ?? ''),
      offline: now.offline && (() => latest.current?.offline?.() ?? Promise.reject(new Error('The figure is gone.'))),
    };
    offer(mine);
    return () => {
      if (offered === mine) offer(null);
    };
  }, [key]);
}

/** What can be exported now, or null. */
export function useOffered(): FigureExport | null {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => offered,
  );
}
