// SPDX-License-Identifier: Apache-2.0
// The page's address as a whole, for links to it. What the explorer keeps in the query stands in url.ts.
import { flushQuery } from './url';

/** The full address of what is on the screen. */
export function currentAddress(): string {
  flushQuery();
  return location.href;
}

/** The same without the server's name: what a short link keeps. */
export function currentPath(): string {
  flushQuery();
  return location.pathname + location.search;
}

/** `path` on this server as a full address. */
export function addressOf(path: string): string {
  return new URL(path, location.origin).href;
}

/** Takes one parameter out of the address without a new step in the history. */
export function dropParameter(name: string): void {
  const url = new URL(location.href);
  if (!url.searchParams.has(name)) return;
  url.searchParams.delete(name);
  history.replaceState(history.state, '', url);
}

/** Loads the whole page anew: the way out when a part of it was replaced on the server. */
export function loadAgain(): void {
  location.reload();
}
