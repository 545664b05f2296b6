// SPDX-License-Identifier: Apache-2.0
// A slider's number: pressed, it can be typed.
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { inFull } from '../../../plots/number';
import { numberIn, type Slider } from '../../../state/fit';

interface Props {
  readonly slider: Slider;
  readonly id: string;
  /** Written in each frame. */
  readonly output: RefObject<HTMLSpanElement | null>;
  readonly value: () => number;
  readonly onValue: (value: number) => void;
}

export function TypedValue({ slider, id, output, value, onValue }: Props) {
  const [editing, setEditing] = useState(false);
  const [problem, setProblem] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  const done = useRef(false);

  function close(): void {
    done.current = true;
    setEditing(false);
    setProblem('');
  }
  function take(text: string): boolean {
    const read = numberIn(slider, text);
    if (typeof read === 'string') {
      setProblem(read);
      return false;
    }
    onValue(read);
    close();
    return true;
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    const text = event.currentTarget.value;
    // the button is back once this has rendered: the next key may already be meant for it
    flushSync(() => (event.key === 'Escape' ? close() : take(text)));
    if (done.current) button.current?.focus();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="typed"
        hidden={editing}
        onClick={() => {
          done.current = false;
          setEditing(true);
        }}
      >
        <span ref={output} />
        <span className="sr">{` ${slider.label}: type a value`}</span>
      </button>
      {editing && (
        <input
          className="typing"
          inputMode="decimal"
          aria-label={`${slider.label}, ${slider.unit || 'number'}`}
          aria-invalid={problem !== ''}
          aria-describedby={problem ? `${id}-problem` : undefined}
          defaultValue={inFull(value(), slider.digits)}
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={onKeyDown}
          onBlur={(event) => {
            if (!done.current && !take(event.currentTarget.value)) close();
          }}
        />
      )}
      {problem && (
        <span className="problem" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
