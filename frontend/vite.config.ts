// SPDX-License-Identifier: Apache-2.0
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { drivers } from './build/drivers.ts';
import { models } from './build/models.ts';
import { calledAtOnce, pieces, preload } from './build/pieces.ts';
import { pyodide } from './build/pyodide.ts';
import { readers } from './build/readers.ts';
import { routes } from './build/routes.ts';
import { styles } from './build/styles.ts';
import { theme } from './build/theme.ts';

export default defineConfig({
  plugins: [react(), calledAtOnce(), drivers(), models(), preload(), pyodide(), readers(), routes(), theme()],
  // scripts and styles name their parts from where they are: the built page works under any path
  experimental: { renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `/${name}` : { relative: true }) },
  css: styles,
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    // an entry that does nothing but import is left out of the document, and one file less is asked for
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: pieces } },
  },
  server: { proxy: { '/api': process.env.COALESCOPE_API ?? 'http://127.0.0.1:8000' } },
  test: {
    include: ['tests/**/*.test.{ts,tsx}'],
    environment: 'node',
    // pictures of every model at every setting take seconds, and more on a busy machine
    testTimeout: 60_000,
    // `fault:ID`: reproduces a fault that was reported and mended (e2e/reported_faults.toml)
    strictTags: false,
  },
});
