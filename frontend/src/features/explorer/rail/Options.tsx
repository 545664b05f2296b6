// SPDX-License-Identifier: Apache-2.0
import { type KeyboardEvent, type ReactNode, useRef } from 'react';

export interface Option {
  readonly value: string;
  readonly label: ReactNode;
  readonly note: ReactNode;
  readonly unavailable?: boolean;
}

/** One of a few, arrows move. What cannot be chosen says why in its place. */
export function Options(props: {
  label: string;
  options: readonly Option[];
  value: string;
  onChange: (value: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const open = props.options.filter((o) => !o.unavailable);
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step || open.length === 0) return;
    event.preventDefault();
    const at = open.findIndex((o) => o.value === props.value);
    const next = open[(at + step + open.length) % open.length];
    props.onChange(next.value);
    list.current?.querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  }
  const focusable = open.some((o) => o.value === props.value) ? props.value : open[0]?.value;
  return (
    <div ref={list} className="opts" role="radiogroup" aria-label={props.label} onKeyDown={onKeyDown}>
      {props.options.map(({ value, label, note, unavailable }) => (
        <button
          key={value}
          type="button"
          role="radio"
          data-value={value}
          aria-checked={value === props.value}
          aria-disabled={unavailable || undefined}
          tabIndex={value === focusable ? 0 : -1}
          onClick={() => !unavailable && props.onChange(value)}
        >
          <span>{label}</span> <small>{note}</small>
        </button>
      ))}
    </div>
  );
}
