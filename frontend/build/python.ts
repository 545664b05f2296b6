// SPDX-License-Identifier: Apache-2.0
// The Python that traces the models while the page is built.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const modelsSource = fileURLToPath(new URL('../../models/src/', import.meta.url));

const venv = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));

/** $COALESCOPE_PYTHON, else the checkout's own environment, else python3 from the path. */
export function interpreter(): string {
  return process.env.COALESCOPE_PYTHON ?? (existsSync(venv) ? venv : 'python3');
}

export function runPython(args: readonly string[]): Buffer {
  return execFileSync(interpreter(), args, {
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PYTHONPATH: modelsSource, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
