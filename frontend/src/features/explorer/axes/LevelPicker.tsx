// SPDX-License-Identifier: Apache-2.0
// One level of many: a button with the chosen one, and a list that a few letters narrow.
import { type KeyboardEvent, type ToggleEvent, useId, useRef, useState } from 'react';
import { Icon } from '../../../components/Icon';
import './axes.css';

const SHOWN = 100;

interface LevelOption {
  readonly value: string;
  readonly label: string;
  readonly note: string;
  readonly unavailable?: boolean;
}

/** Options that have every word that was typed, in any order. */
export function narrowed(options: readonly LevelOption[], typed: string): readonly LevelOption[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter(({ label }) => words.every((w) => label.toLowerCase().includes(w)));
}

export function LevelPicker(props: {
  label: string;
  options: readonly LevelOption[];
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const found = open ? narrowed(props.options, typed) : [];
  const shown = found.slice(0, SHOWN);
  const chosen = props.options.find((o) => o.value === props.value);

  // before it opens, not after the event that says so: what a quick user types in between would be lost
  function onBeforeToggle(event: ToggleEvent) {
    const next = event.newState === 'open';
    setOpen(next);
    if (!next) return;
    setTyped('');
    setActive(
      Math.max(
        0,
        props.options.findIndex((o) => o.value === props.value),
      ),
    );
    if (input.current) input.current.autofocus = true;
  }

  function onToggle(event: ToggleEvent) {
    if (event.newState !== 'open') return;
    const from = button.current?.getBoundingClientRect();
    const popover = box.current;
    if (from && popover) {
      const { clientHeight, clientWidth } = document.documentElement;
      popover.style.top = `${Math.max(8, Math.min(from.bottom + 4, clientHeight - popover.offsetHeight - 8))}px`;
      popover.style.left = `${Math.max(8, Math.min(from.left, clientWidth - popover.offsetWidth - 8))}px`;
    }
    input.current?.focus();
  }

  function choose(option: LevelOption | undefined) {
    if (!option || option.unavailable) return;
    box.current?.hidePopover();
    props.onChange(option.value);
  }

  function onKeyDown(event: KeyboardEvent) {
    const last = shown.length - 1;
    const to = { ArrowDown: Math.min(active + 1, last), ArrowUp: Math.max(active - 1, 0) }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setActive(to);
      document.getElementById(`${id}-${to}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(shown[active]);
    }
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="levelpick"
        popoverTarget={`${id}-box`}
        aria-haspopup="listbox"
        aria-label={`${props.label}: ${chosen?.label ?? props.value}`}
      >
        <span>{chosen?.label ?? props.value}</span>
        <Icon name="down" small />
      </button>
      <div
        ref={box}
        id={`${id}-box`}
        popover="auto"
        className="menu levels"
        onBeforeToggle={onBeforeToggle}
        onToggle={onToggle}
      >
        <input
          ref={input}
          type="search"
          role="combobox"
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
          aria-label={`Find among ${props.options.length} levels of ${props.label}`}
          placeholder={`${props.options.length} levels: type to find`}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" id={`${id}-list`} aria-label={props.label} tabIndex={-1}>
          {shown.map((option, i) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field's keys choose
            <div
              key={option.value}
              id={`${id}-${i}`}
              role="option"
              className={i === active ? 'active' : undefined}
              aria-selected={option.value === props.value}
              aria-disabled={option.unavailable || undefined}
              onClick={() => choose(option)}
            >
              <span>{option.label}</span> <small>{option.note}</small>
            </div>
          ))}
        </div>
        {found.length > shown.length && <p className="note">{found.length - shown.length} more: type to narrow</p>}
        {open && found.length === 0 && <p className="note">No level has that in its name.</p>}
      </div>
    </>
  );
}
