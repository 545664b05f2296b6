// SPDX-License-Identifier: Apache-2.0
import './Segmented.css';

export interface Segment<T extends string> {
  value: T;
  label: string;
  /** Why it cannot be chosen now; its presence disables the segment. */
  unavailable?: string;
}

/** One of a few. A segment that cannot be chosen says why. */
export function Segmented<T extends string>(props: {
  label: string;
  segments: readonly Segment<T>[];
  /** null: none of them is in force. */
  value: T | null;
  onChange: (value: T) => void;
  tiny?: boolean;
}) {
  return (
    <div className={`seg ${props.tiny ? 'tiny' : ''}`} role="group" aria-label={props.label}>
      {props.segments.map(({ value, label, unavailable }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          aria-disabled={unavailable ? true : undefined}
          title={unavailable}
          onClick={() => !unavailable && value !== props.value && props.onChange(value)}
        >
          {label}
          {unavailable && <span className="sr">: {unavailable}</span>}
        </button>
      ))}
    </div>
  );
}
