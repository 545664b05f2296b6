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
  const { dataset } = document.documentElement;
  if (theme === system) dataset.follows = 'system';
  else delete dataset.follows;
  show(theme);
}

/** The theme of what this stands in; nothing is remembered. */
export function takeTheme(theme: Theme): void {
  if (theme !== currentTheme()) show(theme);
}

/** Follows the system while neither the reader nor the address has chosen. Called once, when the page starts. */
export function followSystem(): void {
  dark().addEventListener('change', (event) => {
    if (document.documentElement.dataset.follows) show(event.matches ? 'dark' : 'light');
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
