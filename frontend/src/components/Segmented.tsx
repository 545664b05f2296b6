// SPDX-License-Identifier: Apache-2.0
import { Fragment, useId, useState } from 'react';
import './Segmented.css';

export interface Segment<T extends string> {
  value: T;
  label: string;
  /** Why it cannot be chosen now; its presence disables the segment. */
  unavailable?: string;
}

/** One of a few. A segment that cannot be chosen says why, to the pointer, the finger and the keyboard: when it is pressed, pointed at or focused. */
export function Segmented<T extends string>(props: {
  label: string;
  segments: readonly Segment<T>[];
  /** null: none of them is in force. */
  value: T | null;
  onChange: (value: T) => void;
  tiny?: boolean;
}) {
  const id = useId();
  const [hushed, setHushed] = useState(false);
  return (
    <div
      className={`seg ${props.tiny ? 'tiny' : ''} ${hushed ? 'hushed' : ''}`}
      role="group"
      aria-label={props.label}
      onKeyDown={({ key }) => setHushed(key === 'Escape')}
      onPointerLeave={() => setHushed(false)}
      onBlur={() => setHushed(false)}
    >
      {props.segments.map(({ value, label, unavailable }) => (
        <Fragment key={value}>
          <button
            type="button"
            aria-pressed={value === props.value}
            aria-disabled={unavailable ? true : undefined}
            aria-describedby={unavailable ? `${id}${value}` : undefined}
            onClick={() => !unavailable && value !== props.value && props.onChange(value)}
          >
            {label}
          </button>
          {unavailable && (
            <span className="why" id={`${id}${value}`}>
              {unavailable}
            </span>
          )}
        </Fragment>
      ))}
    </div>
  );
}
