// SPDX-License-Identifier: Apache-2.0
// `virtual:frame`: the document that a notebook shows in a frame, as text. It is built as the offline page is, from another entry.
import { build, type InlineConfig, type Plugin } from 'vite';

const ID = 'virtual:frame';
const RESOLVED = `\0${ID}`;

/** `config`: how the document is built; its one file is an HTML document. */
export function frame(config: InlineConfig): Plugin {
  return {
    name: 'coalescope-frame',
    resolveId: (id) => (id === ID ? RESOLVED : null),
    async load(id) {
      if (id !== RESOLVED) return null;
      const built = await build({
        ...config,
        configFile: false,
        logLevel: 'warn',
        build: { ...config.build, write: false },
      });
      const files = [built].flat().flatMap((each) => ('output' in each ? [...each.output] : []));
      const [file] = files;
      if (files.length !== 1 || file.type !== 'asset') throw new Error('the frame is not one document');
      return `export default ${JSON.stringify(String(file.source))};`;
    },
  };
}
