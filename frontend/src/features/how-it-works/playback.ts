// SPDX-License-Identifier: Apache-2.0
// The moment that is shown: it runs, stands, or is moved by hand.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { createStore, type Store } from '../../state/store';

export interface Moment {
  readonly now_us: number;
  readonly playing: boolean;
}

export type Playback = Store<Moment>;

/** A tab that was hidden does not catch up. */
const LONGEST_FRAME_S = 0.1;
const CALM_MS = 200;

/** Lets the moment run at `pace_us` for each second, until `end_us`. */
export function usePlayback(first: () => Moment, pace_us: number, end_us: number): Playback {
  const [playback] = useState(() => createStore(first()));
  const playing = useSyncExternalStore(playback.subscribe, () => playback.get().playing);
  useEffect(() => {
    if (!playing) return;
    let last: number | null = null;
    let asked = requestAnimationFrame(function frame(now) {
      const passed = last === null ? 0 : Math.min(LONGEST_FRAME_S, (now - last) / 1000);
      last = now;
      const next = Math.min(end_us, playback.get().now_us + passed * pace_us);
      playback.set({ now_us: next, playing: next < end_us });
      if (next < end_us) asked = requestAnimationFrame(frame);
    });
    return () => cancelAnimationFrame(asked);
  }, [playback, playing, pace_us, end_us]);
  return playback;
}

/** The moment for what is read, not watched: a few times a second while it runs, at once when it stands. */
export function useCalmMoment(playback: Playback): Moment {
  const [moment, setMoment] = useState(playback.get);
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      clearTimeout(waiting);
      waiting = undefined;
      setMoment(playback.get());
    };
    tell();
    const stop = playback.subscribe(() => {
      if (!playback.get().playing) tell();
      else waiting ??= setTimeout(tell, CALM_MS);
    });
    return () => {
      stop();
      clearTimeout(waiting);
    };
  }, [playback]);
  return moment;
}
