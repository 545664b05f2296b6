// SPDX-License-Identifier: Apache-2.0
// offline.html: the page as one document without a view; the page fills it when a view is exported. Scripts and style are in it and named by
// their hashes in its policy, which lets nothing else run and nothing be fetched.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const theme = readFileSync(new URL('../public/theme.js', import.meta.url), 'utf8');

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Script text that ends no element and opens no comment. */
export const inScript = (text: string): string => text.replace(/<\/(?=script)/gi, '<\\/').replace(/<!--/g, '<\\!--');

export function documentOf(script: string, style: string): string {
  const [main, first] = [inScript(script), inScript(theme)];
  const policy = [
    "default-src 'none'",
    `script-src ${hash(first)} ${hash(main)}`,
    `style-src ${hash(style)}`,
    'img-src data: blob:',
    'font-src data:',
    'connect-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Coalescope</title>
<style>${style}</style>
<script>${first}</script>
</head>
<body>
<div id="page"></div>
<noscript>Coalescope draws its surfaces in the browser and needs JavaScript.</noscript>
<script type="application/json" id="kept">null</script>
<script type="module">${main}</script>
</body>
</html>
`;
}

export function offline(): Plugin {
  return {
    name: 'coalescope-offline',
    enforce: 'post',
    generateBundle: {
      // the last hand on it: what Vite puts into the script is there
      order: 'post',
      handler(_options, bundle) {
        const parts = Object.values(bundle);
        const scripts = parts.filter((part) => part.type === 'chunk');
        const styles = parts.filter((part) => part.type === 'asset' && part.fileName.endsWith('.css'));
        if (scripts.length !== 1 || styles.length !== 1 || parts.length !== 2)
          throw new Error(`the offline page is not in one piece: ${parts.map((part) => part.fileName).join(', ')}`);
        const [style] = styles;
        const css = style.type === 'asset' ? String(style.source) : '';
        for (const name of Object.keys(bundle)) delete bundle[name];
        this.emitFile({ type: 'asset', fileName: 'offline.html', source: documentOf(scripts[0].code, css) });
      },
    },
  };
}
