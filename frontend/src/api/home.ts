// SPDX-License-Identifier: Apache-2.0
// Where the page's files are. A built script stands in <home>/assets/, wherever <home> is: at the top of a server, or under any path of a
// host of files.
const here = import.meta.url;

/** The folder of index.html, with a slash at the end. */
export const home = new URL(import.meta.env.DEV ? '/' : '..', here);

/** The path before every address of the page; '' at the top of a server. */
export const base = home.pathname.replace(/\/$/, '');

/** The full address of one of the page's files, named as from the top: `/sandbox.html`. */
export const fileAddress = (path: string): string => new URL(`.${path}`, home).href;
