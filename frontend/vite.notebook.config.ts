// SPDX-License-Identifier: Apache-2.0
// notebook.js, beside the page: the module that `.explore()` shows in a notebook.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { frame } from './build/frame.ts';
import { onePage } from './vite.offline.config.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [frame(onePage('src/app/notebook/main.tsx'))],
  build: {
    target: 'es2022',
    emptyOutDir: false,
    copyPublicDir: false,
    chunkSizeWarningLimit: 4096,
    lib: { entry: here('src/app/notebook/widget.ts'), formats: ['es'], fileName: () => 'notebook.js' },
  },
});
