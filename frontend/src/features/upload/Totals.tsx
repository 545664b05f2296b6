// SPDX-License-Identifier: Apache-2.0
import { Notice } from '../../components/Notice';
import type { Uploads } from './queue';
import { uploads } from './session';
import { restInWords, segmentsOf, sizeOf, tallyOf } from './tally';

/** How far the whole is, and what stands in its way. */
export function Totals({ state }: { state: Uploads }) {
  const tally = tallyOf(state.items);
  return (
    <div className="total">
      <p>
        <b>
          {tally.onDisk} of {tally.files} {tally.files === 1 ? 'file' : 'files'} on disk
        </b>
        <span>{restInWords(tally)}</span>
        <span className="r">{sizeOf(tally.bytesSent, tally.bytes)}</span>
        <button
          type="button"
          className="quiet small"
          disabled={tally.settled && !state.paused}
          onClick={() => (state.paused ? uploads.resume() : uploads.pause())}
        >
          {state.paused ? 'Resume' : 'Pause'}
        </button>
      </p>
      <div
        className="segs"
        role="progressbar"
        aria-label="Files on disk"
        aria-valuemin={0}
        aria-valuemax={tally.files}
        aria-valuenow={tally.onDisk}
      >
        {segmentsOf(state.items).map(({ look, bytes, done }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place
          <i key={i} className={look} style={{ flexGrow: bytes }}>
            {look === 'sending' && <i style={{ width: `${100 * done}%` }} />}
          </i>
        ))}
      </div>
      {state.paused && tally.counts.sending > 0 && <p className="note">Paused. Uploads in progress will finish.</p>}
      {state.stalled && (
        <Notice
          tone="bad"
          title="The server does not answer"
          action={{ label: 'Try again', onClick: () => void uploads.probe() }}
        >
          {tally.onDisk} of {tally.files} files are on disk and stay there; the others wait here and go on by themselves
          when it is back.
        </Notice>
      )}
    </div>
  );
}
