// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const KEY = 'coalescope.theme';
const listeners = new Set<() => void>();
const dark = () => matchMedia('(prefers-color-scheme: dark)');

/** The theme in force. /theme.js sets it before the first paint. */
export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  for (const tell of listeners) tell();
}

/** The reader's choice. Choosing what the system prefers means following it again. */
export function chooseTheme(theme: Theme): void {
  const system: Theme = dark().matches ? 'dark' : 'light';
  try {
    if (theme === system) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Not remembered where storage is closed; in force for this visit all the same.
  }
  show(theme);
}

function chosen(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** Follows the system while the reader has not chosen. Called once, when the page starts. */
export function followSystem(): void {
  dark().addEventListener('change', (event) => {
    if (!chosen()) show(event.matches ? 'dark' : 'light');
  });
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** The theme in force, as state: layers that paint on a canvas draw again when it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}
