// SPDX-License-Identifier: Apache-2.0
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ANSWER, besideOf, STEPS, type Step } from './steps';
import './tour.css';

const MARGIN = 4;
const NOWHERE = { anchor: 'html', side: 'below' } as const;
const LOOK_AGAIN_MS = 300;

/** The part, once it has an extent: a chart is there before it is laid out. */
function boxOf(anchor: string): DOMRect | null {
  const box = document.querySelector(anchor)?.getBoundingClientRect();
  return box && box.width > 0 ? box : null;
}

/** The readout that stays at the foot of a phone; elsewhere it has no extent. */
const footOf = (): DOMRect | null => boxOf('.explorer .peek');

/** The window, without that readout. */
function roomOf(): { width: number; height: number } {
  const { clientWidth: width, clientHeight } = document.documentElement;
  return { width, height: Math.min(clientHeight, footOf()?.top ?? clientHeight) };
}

/** A menu or a dialog that is open takes Escape for itself. */
const somethingOpen = (): boolean =>
  document.querySelector('dialog[open]') !== null ||
  [...document.querySelectorAll('[popover]')].some((each) => each.matches(':popover-open'));

/** Follows its part while the page moves under it. */
function usePlaced({ anchor, side, clear }: Pick<Step, 'anchor' | 'side' | 'clear'>) {
  const [away, setAway] = useState(false);
  const note = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const put = () => {
      const part = boxOf(anchor);
      const [words, frame] = [note.current, mark.current];
      if (!part || !words || !frame) return;
      const room = roomOf();
      setAway(part.bottom < 0 || part.top > room.height);
      frame.style.cssText = `left:${part.left - MARGIN}px;top:${part.top - MARGIN}px;width:${part.width + 2 * MARGIN}px;height:${part.height + 2 * MARGIN}px`;
      const { left, top } = besideOf(
        part,
        { width: words.offsetWidth, height: words.offsetHeight },
        room,
        side,
        [...document.querySelectorAll(clear ? `${clear}, ${ANSWER}` : ANSWER)].map((each) =>
          each.getBoundingClientRect(),
        ),
      );
      words.style.left = `${left}px`;
      words.style.top = `${top}px`;
    };
    put();
    // what is above it may move it, and a part may be drawn anew: an observer of it sees neither
    const timer = setInterval(put, LOOK_AGAIN_MS);
    addEventListener('resize', put);
    document.addEventListener('scroll', put, { capture: true, passive: true });
    return () => {
      clearInterval(timer);
      removeEventListener('resize', put);
      document.removeEventListener('scroll', put, { capture: true });
    };
  }, [anchor, side, clear]);
  return { note, mark, away };
}

/** The parts that are there come late: the recommendation after the fit. */
function usePresent() {
  const present = () => STEPS.filter(({ anchor }) => boxOf(anchor));
  const [steps, setSteps] = useState(present);
  function again() {
    const now = present();
    setSteps((before) => (before.length === now.length ? before : now));
    return now;
  }
  return { steps, again };
}

/** The button that starts the tour stands at the end of the rail; what the first step speaks of, at the tops of rail and panel. */
function columnsToTheirTops(): void {
  for (const column of document.querySelectorAll('.explorer > .rail, .explorer > .model')) column.scrollTop = 0;
}

/** Scrolls to what a step is about. On a phone it stands low: the words find their room above. */
function bringIntoSight(step: Step | undefined): void {
  if (!step) return;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
  document.querySelector(step.anchor)?.scrollIntoView({ block: footOf() ? 'end' : 'nearest', behavior });
}

export function Steps({ asked, onEnd }: { asked: boolean; onEnd: () => void }) {
  const { steps, again } = usePresent();
  const [at, setAt] = useState(0);
  const step = steps[Math.min(at, steps.length - 1)];
  const { note, mark, away } = usePlaced(step ?? NOWHERE);
  const next = useRef<HTMLButtonElement>(null);
  // until then it is at the first part that is there, whatever came before that
  const moved = useRef(false);

  // only a tour that was asked for takes the focus and scrolls; one that starts by itself leaves both alone
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first step that is there, and no later one
  useEffect(() => {
    if (!asked || !step || moved.current) return;
    next.current?.focus({ preventScroll: true });
  }, [asked, step?.anchor]);
  useEffect(() => {
    if (!asked) return;
    columnsToTheirTops();
    return columnsToTheirTops;
  }, [asked]);
  // parts that come late move the others
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when more are there
  useEffect(() => {
    if (asked && !moved.current) bringIntoSight(step);
  }, [asked, step?.anchor, steps.length]);
  // the page that it was asked for may still be on its way, and comes in parts
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more until all are there
  useEffect(() => {
    if (steps.length === STEPS.length) return;
    const count = () => {
      const here = again().findIndex(({ anchor }) => anchor === step?.anchor);
      if (moved.current && here >= 0) setAt(here);
    };
    const timer = setInterval(count, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [steps.length, step]);
  // wherever the focus is
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !somethingOpen()) onEnd();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onEnd]);
  if (!step) return null;

  /** `by` one: counted among the parts that are there now, one may have come before. */
  function go(by: number) {
    moved.current = true;
    const now = again();
    const to = Math.max(0, now.findIndex(({ anchor }) => anchor === step?.anchor) + by);
    setAt(to);
    bringIntoSight(now[to]);
  }
  const last = at >= steps.length - 1;
  return (
    <>
      <div ref={mark} className="tourmark" aria-hidden="true" />
      <div ref={note} className="tour" role="region" aria-label="Guided tour">
        <div role="status">
          <b>{step.title}</b>
          <p>{step.words}</p>
        </div>
        {away && (
          <button type="button" className="inline" onClick={() => bringIntoSight(step)}>
            Show it
          </button>
        )}
        <footer>
          <span className="note">
            {at + 1} of {steps.length}
          </span>
          <button type="button" className="quiet small" onClick={onEnd}>
            End the tour
          </button>
          {at > 0 && (
            <button type="button" className="quiet small" onClick={() => go(-1)}>
              Back
            </button>
          )}
          <button ref={next} type="button" className="quiet small boxed" onClick={() => (last ? onEnd() : go(1))}>
            {last ? 'Done' : 'Next'}
          </button>
        </footer>
      </div>
    </>
  );
}
