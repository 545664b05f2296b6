// SPDX-License-Identifier: Apache-2.0
// How style sheets are read: the names of widths that a sheet imports (src/components/breakpoints.css) are put in where they are used.
import type { CSSOptions } from 'vite';

export const styles: CSSOptions = { transformer: 'lightningcss', lightningcss: { drafts: { customMedia: true } } };
