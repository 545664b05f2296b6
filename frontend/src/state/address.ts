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
  return location.pathname + location.search + location.hash;
}

/** The page alone, without its query. */
export const currentPathname = (): string => location.pathname;

/** `path` on this server as a full address. */
export function addressOf(path: string): string {
  return new URL(path, location.origin).href;
}

/** The server's name where links to it open on this machine alone, else null. */
export function loopbackName(): string | null {
  const { hostname } = location;
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? hostname : null;
}

/** What stands after the number sign. No server sees it. */
export const currentFragment = (): string => location.hash.slice(1);

/** Puts it there without a new step in the history; '' takes it away. */
export function replaceFragment(fragment: string): void {
  const hash = fragment === '' ? '' : `#${fragment}`;
  if (location.hash !== hash) history.replaceState(history.state, '', location.pathname + location.search + hash);
}

/** Calls back when the reader goes back or forth, or changes the fragment by hand. */
export function followAddress(listener: () => void): () => void {
  addEventListener('popstate', listener);
  return () => removeEventListener('popstate', listener);
}

/** Takes one parameter out of the address without a new step in the history. */
export function dropParameter(name: string): void {
  const url = new URL(location.href);
  if (!url.searchParams.has(name)) return;
  url.searchParams.delete(name);
  history.replaceState(history.state, '', url);
}

/** Takes the slash from the end of the address, except from `base` itself. */
export function withoutSlash(base: string): void {
  const { pathname, search, hash } = location;
  const path = pathname.replace(/\/+$/, '');
  if (path !== pathname && path.length > base.length) history.replaceState(history.state, '', path + search + hash);
}

/** Goes to another site. */
export function leaveFor(address: string): void {
  location.assign(address);
}

/** Loads the whole page again: the way out when a part of it was replaced on the server. */
export function loadAgain(): void {
  location.reload();
}
