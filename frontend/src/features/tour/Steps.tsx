// SPDX-License-Identifier: Apache-2.0
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { besideOf, STEPS } from './steps';
import './tour.css';

const MARGIN = 4;

/** Follows its part while the page moves under it. */
function usePlaced(anchor: string, side: (typeof STEPS)[number]['side']) {
  const note = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const put = () => {
      const part = document.querySelector(anchor)?.getBoundingClientRect();
      const [words, frame] = [note.current, mark.current];
      if (!part || !words || !frame) return;
      frame.style.cssText = `left:${part.left - MARGIN}px;top:${part.top - MARGIN}px;width:${part.width + 2 * MARGIN}px;height:${part.height + 2 * MARGIN}px`;
      const { clientWidth: width, clientHeight: height } = document.documentElement;
      const { left, top } = besideOf(
        part,
        { width: words.offsetWidth, height: words.offsetHeight },
        { width, height },
        side,
      );
      words.style.left = `${left}px`;
      words.style.top = `${top}px`;
    };
    put();
    const observer = new ResizeObserver(put);
    const part = document.querySelector(anchor);
    if (part) observer.observe(part);
    addEventListener('resize', put);
    document.addEventListener('scroll', put, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      removeEventListener('resize', put);
      document.removeEventListener('scroll', put, { capture: true });
    };
  }, [anchor, side]);
  return { note, mark };
}

/** The parts that are there come late: the recommendation after the fit. */
function usePresent() {
  const present = () => STEPS.filter(({ anchor }) => document.querySelector(anchor));
  const [steps, setSteps] = useState(present);
  function again() {
    const now = present();
    setSteps(now);
    return now;
  }
  return { steps, again };
}

/** Scrolls to what a step is about. */
function bringIntoSight(step: (typeof STEPS)[number] | undefined): void {
  const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const part = step && document.querySelector(step.anchor);
  part?.scrollIntoView({ block: 'nearest', behavior: reduced ? 'auto' : 'smooth' });
}

export function Steps({ asked, onEnd }: { asked: boolean; onEnd: () => void }) {
  const { steps, again } = usePresent();
  const [at, setAt] = useState(0);
  const step = steps[Math.min(at, steps.length - 1)];
  const { note, mark } = usePlaced(step?.anchor ?? 'html', step?.side ?? 'below');
  const next = useRef<HTMLButtonElement>(null);

  // only a tour that was asked for takes the focus and scrolls; one that starts by itself leaves both alone
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first step that is there, and no later one
  useEffect(() => {
    if (!asked || !step) return;
    next.current?.focus({ preventScroll: true });
    bringIntoSight(step);
  }, [asked, step === undefined]);
  // the page that it was asked for may still be on its way
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more until something is there
  useEffect(() => {
    if (step) return;
    const timer = setInterval(again, 300);
    return () => clearInterval(timer);
  }, [step]);
  if (!step) return null;

  /** `by` one: counted among the parts that are there now, one may have come before. */
  function go(by: number) {
    const now = again();
    const to = Math.max(0, now.findIndex(({ anchor }) => anchor === step?.anchor) + by);
    setAt(to);
    bringIntoSight(now[to]);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onEnd();
  }
  const last = at >= steps.length - 1;
  return (
    <>
      <div ref={mark} className="tourmark" aria-hidden="true" />
      <div ref={note} className="tour" role="region" aria-label="Guided tour" onKeyDown={onKeyDown}>
        <div role="status">
          <b>{step.title}</b>
          <p>{step.words}</p>
        </div>
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
