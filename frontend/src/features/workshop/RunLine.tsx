// SPDX-License-Identifier: Apache-2.0
import type { Status } from '../../engine/sandbox/sandbox';

const SAID: Readonly<Record<Status['state'], string>> = {
  closed: '',
  starting: 'Python is starting',
  ready: 'Python is ready',
  running: 'Running',
  absent: 'Python cannot run here',
  failed: 'Python did not start',
};

/** Run, and what Python is doing. `busy`: it was pressed, and nothing has come yet. `ready`: there is a text. */
export function RunLine(props: { status: Status; busy: boolean; ready: boolean; onRun(): void }) {
  const { status, busy, ready, onRun } = props;
  return (
    <p className="do">
      <button type="button" className="action" disabled={busy || !ready || status.state === 'absent'} onClick={onRun}>
        Run
      </button>
      <span className="note" role="status">
        {busy && status.state !== 'running' ? 'Waiting for Python to start' : SAID[status.state]}
        {status.state === 'failed' ? `: ${status.message}. Run tries again.` : ''}
      </span>
      <span className="note keys">Ctrl or ⌘ with Enter runs it</span>
    </p>
  );
}
