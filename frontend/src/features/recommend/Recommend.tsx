// SPDX-License-Identifier: Apache-2.0
// The place of the recommendation. Its code and its request come when the rest is drawn and the place is near.
import { type RefObject, useEffect, useRef, useState } from 'react';
import { part } from '../../components/part';
import { begin } from '../../state/underWay';
import type { SectionProps } from './Section';

const EMPTY = (
  <header className="advicehead">
    <h2 className="cap">What should I set?</h2>
  </header>
);

const Section = part('The recommendation', async () => (await import('./Section')).Section, EMPTY);

const NEAR = '240px';
const SOON_MS = 3000;

/** Calls back when the browser has nothing better to do. */
function whenIdle(then: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const asked = requestIdleCallback(then, { timeout: SOON_MS });
    return () => cancelIdleCallback(asked);
  }
  const timer = setTimeout(then, 300);
  return () => clearTimeout(timer);
}

/** Calls back when the page goes to paper: what is far from the screen is not far from that. */
function whenPrinted(then: () => void): () => void {
  const paper = matchMedia('print');
  const look = () => paper.matches && then();
  look();
  paper.addEventListener('change', look);
  addEventListener('beforeprint', then);
  return () => {
    paper.removeEventListener('change', look);
    removeEventListener('beforeprint', then);
  };
}

/** Once `ready`, the element near the screen or the page printed, and the browser idle: true, for good. */
function useWanted(ready: boolean): [RefObject<HTMLElement | null>, boolean] {
  const element = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (!element.current || near) return;
    const observer = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && setNear(true), {
      rootMargin: NEAR,
    });
    observer.observe(element.current);
    const leave = whenPrinted(() => setNear(true));
    return () => {
      observer.disconnect();
      leave();
    };
  }, [near]);
  useEffect(() => {
    if (!ready || !near || wanted) return;
    const over = begin();
    const leave = whenIdle(() => {
      setWanted(true);
      over();
    });
    return () => {
      leave();
      over();
    };
  }, [ready, near, wanted]);
  return [element, wanted];
}

export function Recommend({ ready, ...rest }: SectionProps & { ready: boolean }) {
  const [place, wanted] = useWanted(ready);
  return (
    <section className="advice" aria-label="Recommendation" ref={place}>
      {wanted ? <Section {...rest} /> : EMPTY}
    </section>
  );
}
