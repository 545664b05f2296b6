// SPDX-License-Identifier: Apache-2.0
// The animated picture with what moves it. It is redrawn frame by frame, outside React.

import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { Section } from '../../components/Section';
import { useWidth } from '../../layers/Drawing';
import { drawingScale } from '../../layers/scale';
import { draw } from '../../layers/svg';
import { decimal } from '../../plots/number';
import { SPEEDS } from './address';
import { slowness } from './messages';
import { type Playback, useCalmMoment } from './playback';
import { paceOf, type Show } from './show';
import { upTo } from './simulation/record';

const clamp = (t: number, most: number): number => Math.max(0, Math.min(most, t));

/** The next event after `now`, or the one before it. */
export function eventBeside({ events }: Pick<Show, 'events'>, now: number, forward: boolean): number | null {
  const k = upTo(events, (event) => event.t_us, now);
  if (forward) return events[k]?.t_us ?? null;
  let before = k - 1;
  while (before >= 0 && events[before].t_us >= now) before--;
  return events[before]?.t_us ?? null;
}

interface Props {
  readonly show: Show;
  readonly playback: Playback;
  readonly speed: number;
  onSpeed(speed: number): void;
}

function Lanes({ show, playback }: Omit<Props, 'speed' | 'onSpeed'>) {
  const [place, width] = useWidth<HTMLDivElement>();
  const group = useRef<SVGGElement>(null);
  const scale = useRef(1);
  const drag = useRef<{ x: number; now_us: number } | null>(null);
  const end = show.until_us;

  useEffect(() => {
    let asked = 0;
    const redraw = () => {
      asked = 0;
      const { now_us } = playback.get();
      if (!group.current || !place.current || width === 0) return;
      const picture = show.picture(now_us, width);
      scale.current = picture.us_per_px;
      draw(group.current, picture.shapes);
      const whole = Math.round(now_us * 10) / 10;
      if (!playback.get().playing) {
        place.current.setAttribute('aria-valuenow', String(whole));
        place.current.setAttribute('aria-valuetext', `${decimal(now_us, 1)} µs`);
      }
    };
    const ask = () => {
      if (asked === 0) asked = requestAnimationFrame(redraw);
    };
    redraw();
    const stop = playback.subscribe(ask);
    return () => {
      stop();
      cancelAnimationFrame(asked);
    };
  }, [place, show, playback, width]);

  const seek = (t: number) => playback.set({ now_us: clamp(t, end), playing: false });

  function onKey(event: KeyboardEvent) {
    const { now_us, playing } = playback.get();
    const small = show.span_us / 100;
    const by: Readonly<Record<string, number>> = {
      ArrowLeft: -small,
      ArrowDown: -small,
      ArrowRight: small,
      ArrowUp: small,
      PageDown: -25 * small,
      PageUp: 25 * small,
      Home: -now_us,
      End: end - now_us,
    };
    if (event.key === ' ') playback.set({ now_us, playing: !playing });
    else if (event.key in by) seek(now_us + by[event.key]);
    else return;
    event.preventDefault();
  }

  function onDown(event: PointerEvent<HTMLDivElement>) {
    if (event.button !== 0) return;
    drag.current = { x: event.clientX, now_us: playback.get().now_us };
    event.currentTarget.setPointerCapture(event.pointerId);
  }
  function onMove(event: PointerEvent<HTMLDivElement>) {
    if (!drag.current || event.buttons !== 1) return;
    // the picture is pulled: to the right, into the past
    seek(drag.current.now_us - ((event.clientX - drag.current.x) / drawingScale()) * scale.current);
  }

  return (
    <div
      ref={place}
      className="lanes"
      role="slider"
      tabIndex={0}
      aria-label={`Time. ${show.lanes} Arrow keys move it, the space bar plays and pauses.`}
      aria-valuemin={0}
      aria-valuemax={Math.round(end)}
      aria-valuenow={0}
      onKeyDown={onKey}
      onPointerDown={onDown}
      onPointerMove={onMove}
    >
      <svg
        className="drawing points"
        width={width}
        height={show.height}
        viewBox={`0 0 ${Math.max(1, width)} ${show.height}`}
        aria-hidden="true"
      >
        <g ref={group} />
      </svg>
    </div>
  );
}

const LISTED = 6;

/** The last events in words: for those who do not see the picture, and for those who do. */
export function Events({ show, playback }: { show: Show; playback: Playback }) {
  const { now_us, playing } = useCalmMoment(playback);
  const { events } = show;
  const until = upTo(events, (event) => event.t_us, now_us);
  const rows = events.slice(Math.max(0, until - LISTED), until).reverse();
  return (
    <Section title="What has just happened">
      <table className="events">
        <thead>
          <tr>
            <th scope="col">µs</th>
            <th scope="col">event</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: LISTED }, (_, k) => rows[k]).map((h, k) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their places, events move through them
            <tr key={k}>
              <td>{h ? decimal(h.t_us, 1) : ''}</td>
              <td>{h ? h.words() : '\u00a0'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="sr" aria-live="polite">
        {!playing && rows[0] ? `${decimal(rows[0].t_us, 1)} µs: ${rows[0].words()}` : ''}
      </p>
    </Section>
  );
}

export function Stage(props: Props) {
  const { show, playback, speed, onSpeed } = props;
  const { now_us, playing } = useCalmMoment(playback);
  const pace = paceOf(show) * speed;
  const ended = now_us >= show.until_us;
  const step = (forward: boolean) => {
    const to = eventBeside(show, playback.get().now_us, forward);
    if (to !== null) playback.set({ now_us: to, playing: false });
  };
  return (
    <section className="stage" aria-label="Timeline">
      <div className="transport">
        <button
          type="button"
          className="action"
          onClick={() => playback.set({ now_us: ended ? 0 : playback.get().now_us, playing: !playing })}
        >
          {playing ? 'Pause' : ended ? 'Play again' : 'Play'}
        </button>
        <button type="button" className="quiet boxed" onClick={() => step(false)} disabled={now_us <= 0}>
          Event back
        </button>
        <button type="button" className="quiet boxed" onClick={() => step(true)} disabled={ended}>
          Next event
        </button>
        <button
          type="button"
          className="quiet boxed"
          onClick={() => playback.set({ ...playback.get(), now_us: 0 })}
          disabled={now_us <= 0}
        >
          From the start
        </button>
        <label className="pace">
          Speed
          <select value={speed} onChange={(event) => onSpeed(Number(event.target.value))}>
            {SPEEDS.map((s) => (
              <option key={s} value={s}>
                {s} ×
              </option>
            ))}
          </select>
        </label>
        <span className="note">{slowness(pace)}</span>
      </div>
      <Lanes show={show} playback={playback} />
    </section>
  );
}
