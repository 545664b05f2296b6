// SPDX-License-Identifier: Apache-2.0
// The page as one file, beside the page: see build/offline.ts.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type InlineConfig } from 'vite';
import { drivers } from './build/drivers.ts';
import { models } from './build/models.ts';
import { offline } from './build/offline.ts';
import { styles } from './build/styles.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A document with all in it that this entry draws. */
export const onePage = (entry: string): InlineConfig => ({
  plugins: [react(), drivers(), models(), offline()],
  // Pyodide stays outside
  resolve: { alias: [{ find: /^.*\/PythonStatus$/, replacement: here('src/app/offline/KernelsAlone.tsx') }] },
  css: styles,
  build: {
    target: 'es2022',
    emptyOutDir: false,
    copyPublicDir: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
    chunkSizeWarningLimit: 4096,
    rolldownOptions: { input: here(entry), output: { codeSplitting: false } },
  },
});

export default defineConfig(onePage('src/app/offline/main.tsx'));
