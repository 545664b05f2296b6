// SPDX-License-Identifier: Apache-2.0
// Which quantity the reader asks about. Whatever carries `data-quantity` can be asked: by pressing it, by resting the pointer on it, or with “?”
// where its press does something else.
import { createStore } from '../state/store';

export interface ActiveTerm {
  readonly name: string;
  /** What was asked: the card opens beside it. */
  readonly anchor: Element;
  /** Pressed: the focus goes into the card, and back when it closes. Else it only looks on. */
  readonly held: boolean;
  /** Where the focus goes back to, where it cannot be to what was asked: to the control of a label. */
  readonly from?: Element | null;
}

/** How long the pointer rests before the card opens, and how long it may be away from it. */
const REST_MS = 450;
const AWAY_MS = 250;

/** What has a press of its own. */
const BUSY = '[role="radio"], [role^="menuitem"], [role="option"], [aria-haspopup="menu"], a, label, summary';

export const activeTerm = createStore<{ readonly now: ActiveTerm | null }>({ now: null });

export function define(name: string, anchor: Element | null): void {
  if (anchor) activeTerm.set({ now: { name, anchor, held: true, from: document.activeElement } });
}

/** Closes the card. The focus goes back to where it came from, unless it has gone elsewhere. */
export function close(back = true): void {
  const { now } = activeTerm.get();
  if (!now) return;
  activeTerm.set({ now: null });
  if (!back || !now.held) return;
  const to = now.anchor.matches('button, a, [tabindex]') ? now.anchor : now.from;
  if (to instanceof HTMLElement) to.focus();
}

const closest = (target: EventTarget | null, selector: string): HTMLElement | SVGElement | null =>
  target instanceof Element ? target.closest<HTMLElement | SVGElement>(selector) : null;

const CARD = '.definition';
const NAMED = '[data-quantity]:not([data-quantity=""])';

/** Where a question mark is a letter. */
const TYPED = 'input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable]';

/** The name inside of what has the focus, or on its label. */
function named(target: EventTarget | null): Element | null {
  if (!(target instanceof Element)) return null;
  const labels = [...((target as HTMLInputElement).labels ?? [])];
  const onLabel = labels.map((label) => (label.matches(NAMED) ? label : label.querySelector(NAMED)));
  return target.querySelector(`:scope > ${NAMED}`) ?? onLabel.find((each) => each !== null) ?? null;
}

/** Listens on the whole page, once. Returns how to stop. */
export function listenForDefinitions(page: Document): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (ms: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const outside = (target: EventTarget | null) =>
    !closest(target, CARD) && closest(target, NAMED) !== activeTerm.get().now?.anchor;

  const listeners: { readonly [K in keyof DocumentEventMap]?: (event: DocumentEventMap[K]) => void } = {
    click(event) {
      const named = closest(event.target, NAMED);
      clearTimeout(timer);
      if (!named || closest(named, BUSY)) return;
      const { now } = activeTerm.get();
      if (now?.held && now.anchor === named) close();
      else define(named.dataset.quantity ?? '', named);
    },
    pointerover(event) {
      if (event.pointerType !== 'mouse' || event.buttons !== 0) return;
      const { now } = activeTerm.get();
      const named = closest(event.target, NAMED);
      if (now?.held) return;
      if (now && !outside(event.target)) clearTimeout(timer);
      else if (named)
        soon(REST_MS, () =>
          activeTerm.set({ now: { name: named.dataset.quantity ?? '', anchor: named, held: false } }),
        );
      else if (now) soon(AWAY_MS, () => close());
      else clearTimeout(timer);
    },
    pointerdown(event) {
      clearTimeout(timer);
      if (activeTerm.get().now && outside(event.target)) close(false);
    },
    keydown(event) {
      if (event.key === 'Escape' && activeTerm.get().now) {
        event.stopPropagation();
        clearTimeout(timer);
        close();
      }
      if (event.key !== '?' || closest(event.target, TYPED)) return;
      const focused = closest(event.target, NAMED) ?? named(event.target);
      if (focused instanceof HTMLElement) {
        // a select would go to the option of that letter
        event.preventDefault();
        define(focused.dataset.quantity ?? '', closest(focused, 'button, a') ?? focused);
      }
    },
    scroll(event) {
      if (!closest(event.target, CARD)) close(false);
    },
  };
  const entries = Object.entries(listeners) as [string, EventListener][];
  for (const [type, listener] of entries)
    page.addEventListener(type, listener, { capture: true, passive: type !== 'keydown' });
  return () => {
    clearTimeout(timer);
    for (const [type, listener] of entries) page.removeEventListener(type, listener, { capture: true });
  };
}
