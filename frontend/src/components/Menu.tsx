// SPDX-License-Identifier: Apache-2.0
import {
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type ToggleEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { AfterFirstPaint } from './AfterPaint';
import './Menu.css';

const GAP = 4;
const EDGE = 8;

function items(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
}

/** Calls back when the first items come: some are asked for when their menu opens. */
function whenItems(list: HTMLElement, then: () => void): void {
  const watch = new MutationObserver(() => {
    if (items(list).length === 0) return;
    watch.disconnect();
    then();
  });
  watch.observe(list, { childList: true, subtree: true });
}

/**
 * A button that opens a menu. The browser's popover keeps it on top, closes it on Escape or a press elsewhere and gives the
 * focus back; arrows, Home and End move within.
 */
export function Menu(props: {
  /** Accessible name of the button. */
  label: string;
  trigger: ReactNode;
  children: ReactNode;
  /** What stands below the items: the result of one that stayed open. */
  after?: ReactNode;
  className?: string;
  /** What the button is the heading of. */
  heading?: 'h1';
  align?: 'start' | 'end';
  onOpen?: () => void;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  function place() {
    const from = button.current?.getBoundingClientRect();
    const box = menu.current;
    if (!from || !box) return;
    const { clientWidth: wide, clientHeight: high } = document.documentElement;
    box.style.maxHeight = '';
    const below = high - from.bottom - GAP - EDGE;
    const above = from.top - GAP - EDGE;
    // upwards where there is more room: it also grows that way when a result comes below its items
    const upwards = box.offsetHeight > below && above > below;
    box.style.top = upwards ? 'auto' : `${from.bottom + GAP}px`;
    box.style.bottom = upwards ? `${high - from.top + GAP}px` : 'auto';
    box.style.maxHeight = `${upwards ? above : below}px`;
    const left = props.align === 'start' ? from.left : from.right - box.offsetWidth;
    box.style.left = `${Math.max(EDGE, Math.min(left, wide - box.offsetWidth - EDGE))}px`;
  }

  function enter() {
    const own = list.current;
    if (!own) return;
    const [first] = items(own);
    (first ?? own).focus();
    if (first) return;
    // until its items come the focus waits in the menu, unless it has gone elsewhere
    whenItems(own, () => {
      if (document.activeElement !== own) return;
      place();
      enter();
    });
  }

  function onBeforeToggle(event: ToggleEvent) {
    const now = event.newState === 'open';
    if (!now) return setOpen(false);
    // a quick user is here before the items are, which place and focus need
    flushSync(() => {
      props.onOpen?.();
      setOpen(true);
    });
    // the browser focuses it as it opens; the toggle event comes later, perhaps after a quick user's next key
    const [first] = menu.current ? items(menu.current) : [];
    if (first) first.autofocus = true;
  }

  function onToggle(event: ToggleEvent) {
    if (event.newState !== 'open' || !menu.current) return;
    place();
    if (!menu.current.contains(document.activeElement)) enter();
  }

  function onKeyDown(event: KeyboardEvent) {
    const all = menu.current ? items(menu.current) : [];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all.at(to % all.length)?.focus();
  }

  const Around = props.heading ?? Fragment;
  return (
    <>
      <Around>
        <button
          ref={button}
          type="button"
          className={props.className ?? 'quiet'}
          aria-label={props.label}
          aria-haspopup="menu"
          popoverTarget={id}
        >
          {props.trigger}
        </button>
      </Around>
      <div ref={menu} id={id} popover="auto" className="menu" onBeforeToggle={onBeforeToggle} onToggle={onToggle}>
        <div ref={list} role="menu" tabIndex={-1} aria-label={props.label} onKeyDown={onKeyDown}>
          <AfterFirstPaint now={open}>{props.children}</AfterFirstPaint>
        </div>
        {props.after}
      </div>
    </>
  );
}

/** One thing to do. `unavailable` disables it and says why, in its place. */
export function MenuItem(props: {
  children: ReactNode;
  note?: ReactNode;
  unavailable?: string;
  /** The menu stays open, because it shows the result. */
  stay?: boolean;
  /** Given for one of a few: then the item is a radio; or a checkbox, where several may be in force. */
  checked?: boolean;
  several?: boolean;
  onSelect: () => void;
}) {
  function select(event: MouseEvent<HTMLButtonElement>) {
    if (props.unavailable) return;
    if (!props.stay) event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
    props.onSelect();
  }

  const shared = {
    type: 'button' as const,
    tabIndex: -1,
    'aria-disabled': props.unavailable ? true : undefined,
    onClick: select,
  };
  const content = (
    <>
      <span>{props.children}</span>
      {(props.unavailable || props.note) && <small>{props.unavailable ?? props.note}</small>}
    </>
  );
  if (props.checked === undefined)
    return (
      <button {...shared} role="menuitem">
        {content}
      </button>
    );
  return props.several ? (
    <button {...shared} role="menuitemcheckbox" aria-checked={props.checked}>
      {content}
    </button>
  ) : (
    <button {...shared} role="menuitemradio" aria-checked={props.checked}>
      {content}
    </button>
  );
}

export function MenuCaption({ children }: { children: ReactNode }) {
  return (
    <p className="cap" role="presentation">
      {children}
    </p>
  );
}
